package org.nyala.advice;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The state of Linux' clock, by adjtimex(2), which changes nothing here. Stateless. */
final class KernelClock {
  private static final Path ONLY_ON_LINUX = Path.of("/proc/self");

  /** The size of struct timex with 64 bits is 208 bytes. */
  private static final int TIMEX_BYTES = 256;

  /** The result for a clock that nothing synchronizes. */
  private static final int TIME_ERROR = 5;

  private KernelClock() {}

  /** Returns whether the clock is synchronized; nothing if the system does not tell. */
  static Optional<Boolean> isSynchronized() {
    if (!Files.exists(ONLY_ON_LINUX) || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      int state = (int) function().invokeExact(arena.allocate(TIMEX_BYTES, Long.BYTES));
      return state < 0 ? Optional.empty() : Optional.of(state != TIME_ERROR);
    } catch (Error e) {
      if (e instanceof LinkageError) {
        return Optional.empty();
      }
      throw e;
    } catch (Throwable e) {
      return Optional.empty();
    }
  }

  // Native access is granted when the program is started, by the manifest.
  @SuppressWarnings("restricted")
  private static MethodHandle function() {
    Linker linker = Linker.nativeLinker();
    MemorySegment symbol = linker.defaultLookup().findOrThrow("adjtimex");
    return linker.downcallHandle(
        symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  }
}
