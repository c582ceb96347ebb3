# CART with a loss matrix, on folds: Rscript rpart.R FOLDER. Every fold has a training and a test
# table; true classes are in the rows of the costs. Pruned where the cross-validated cost is least.
# Answers are written beside them, a class a line.
library(rpart)
set.seed(0)
folder <- commandArgs(trailingOnly = TRUE)[1]
costs <- as.matrix(read.csv(file.path(folder, "costs.csv"), row.names = 1, check.names = FALSE))
kinds <- read.csv(file.path(folder, "kinds.csv"), stringsAsFactors = FALSE)
read_part <- function(fold, part) {
  data <- read.csv(file.path(fold, part), na.strings = "", colClasses = kinds$type,
                   check.names = FALSE)
  names(data) <- c(paste0("x", seq_len(ncol(data) - 1)), "y")
  data
}
for (fold in list.dirs(folder, recursive = FALSE)) {
  train <- read_part(fold, "train.csv")
  test <- read_part(fold, "test.csv")
  for (name in names(train)) {
    if (is.factor(train[[name]])) {
      levels <- union(levels(train[[name]]), levels(test[[name]]))
      train[[name]] <- factor(train[[name]], levels)
      test[[name]] <- factor(test[[name]], levels)
    }
  }
  present <- rownames(costs)[rownames(costs) %in% as.character(train$y)]
  train$y <- factor(train$y, present)
  model <- rpart(y ~ ., train, method = "class", parms = list(loss = costs[present, present]),
                 control = rpart.control(cp = 1e-4, minsplit = 10, minbucket = 5, xval = 5))
  path <- model$cptable
  model <- prune(model, cp = path[which.min(path[, "xerror"]), "CP"])
  said <- predict(model, test, type = "class")
  writeLines(as.character(said), file.path(fold, "said.csv"))
}
