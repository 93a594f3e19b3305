#pragma once

/// Everything that generated codecs need, except printing (json.hpp).
#include <tern/sbe/decode.hpp>
#include <tern/sbe/encode.hpp>
#include <tern/sbe/status.hpp>
#include <tern/sbe/values.hpp>
