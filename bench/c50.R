# C5.0 with costs on folds: Rscript c50.R FOLDER. Every fold has a training and a test table; the
# costs have true classes in rows. Answers are written beside them, a class a line.
suppressMessages(library(C50))
folder <- commandArgs(trailingOnly = TRUE)[1]
costs <- as.matrix(read.csv(file.path(folder, "costs.csv"), row.names = 1, check.names = FALSE))
kinds <- read.csv(file.path(folder, "kinds.csv"), stringsAsFactors = FALSE)
folds <- list.dirs(folder, recursive = FALSE)
read_part <- function(fold, part) {
  data <- read.csv(file.path(fold, part), na.strings = "", colClasses = kinds$type,
                   check.names = FALSE)
  names(data) <- c(paste0("x", seq_len(ncol(data) - 1)), "y")
  data
}
for (fold in folds) {
  train <- read_part(fold, "train.csv")
  test <- read_part(fold, "test.csv")
  for (name in names(train)) {
    if (is.factor(train[[name]])) {
      levels <- union(levels(train[[name]]), levels(test[[name]]))
      train[[name]] <- factor(train[[name]], levels)
      test[[name]] <- factor(test[[name]], levels)
    }
  }
  train$y <- factor(train$y, rownames(costs))
  # C5.0 wants what was predicted in rows.
  model <- C5.0(train[names(train) != "y"], train$y, costs = t(costs))
  said <- predict(model, test[names(test) != "y"], type = "class")
  writeLines(as.character(said), file.path(fold, "said.csv"))
}
