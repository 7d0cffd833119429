#pragma once
#include "cublas_v2.h"
using cublasLtHandle_t = struct cublasLtContext*;
