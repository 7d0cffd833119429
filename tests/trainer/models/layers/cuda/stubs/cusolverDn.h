#pragma once
#include "cusolver_common.h"
using cusolverDnHandle_t = struct cusolverDnContext*;
