# Grow a forest of ranger on the tables of a folder; print, as the last line, the figures as JSON.
# Rscript ranger.R FOLDER forest|extra TREES THREADS COLUMNS

suppressPackageStartupMessages(library(ranger))
asked <- commandArgs(trailingOnly = TRUE)
folder <- asked[1]
extra <- asked[2] == "extra"
trees <- as.integer(asked[3])
threads <- as.integer(asked[4])
columns <- as.integer(asked[5])

table_of <- function(name) {
  file <- file.path(folder, paste0(name, ".bin"))
  if (!file.exists(file)) {
    return(read.csv(file.path(folder, paste0(name, ".csv")), stringsAsFactors = TRUE))
  }
  cells <- readBin(file, "double", n = file.size(file) / 8)
  as.data.frame(matrix(cells, ncol = columns))
}
labels_of <- function(name) {
  factor(scan(file.path(folder, paste0(name, ".y")), integer(), quiet = TRUE))
}
bytes <- function(field) {
  line <- grep(field, readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}
grow <- function(X, y, trees) {
  ranger(
    x = X, y = y, num.trees = trees, num.threads = threads, min.node.size = 1, seed = 1,
    splitrule = if (extra) "extratrees" else "gini", replace = !extra, sample.fraction = 1
  )
}

X <- table_of("train")
y <- labels_of("train")
X_test <- table_of("test")
y_test <- labels_of("test")
for (name in names(X)) { # the same levels on both sides
  if (is.factor(X[[name]])) {
    both <- union(levels(X[[name]]), levels(X_test[[name]]))
    X[[name]] <- factor(X[[name]], both)
    X_test[[name]] <- factor(X_test[[name]], both)
  }
}
invisible(grow(X[1:500, ], y[1:500], 2))
invisible(gc())
try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
before <- bytes("VmRSS")
fit <- system.time(forest <- grow(X, y, trees))[["elapsed"]]
peak <- bytes("VmHWM") - before
said <- predict(forest, X_test, num.threads = threads)$predictions
bag <- if (extra) "" else sprintf(', "oob": %.6f', 1 - forest$prediction.error)
cat(sprintf(
  '\n{"fit": %.4f, "peak": %.0f, "score": %.6f, "runs": 1%s}\n',
  fit, peak, mean(said == y_test), bag
))
