package org.nyala.lmdb.env;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes files that are written to through memory. On a full disk, a write to a page without a block
 * of its own ends the process (SIGBUS). So all bytes are written first; on Btrfs, which gives a
 * page another block with each write, the file is besides exempt from that (the attribute C of
 * {@code chattr}), as only an empty file can be.
 *
 * <p>Stateless.
 */
public final class MappedFile {
  private static final long BTRFS_MAGIC = 0x9123_683eL;

  /** The size of {@code struct statfs} with 64-bit numbers, and more. */
  private static final int STATFS_BYTES = 256;

  private static final int PAGE_BYTES = 4096;
  private static final String FULL = "the disk is full, and its file system cannot change the file";
  private static final int READ_ONLY = 0;
  private static final long GET_FLAGS = 0x8008_6601L;
  private static final long SET_FLAGS = 0x4008_6602L;
  private static final int NO_COPY_ON_WRITE = 0x0080_0000;

  private MappedFile() {}

  /**
   * Fills an empty file with zeros that have their blocks on the disk.
   *
   * @throws IOException if there is no room for them
   */
  public static void fill(Path empty, int bytes) throws IOException {
    if (isOnBtrfs(empty)) {
      flags(empty, true);
    }
    try (FileChannel channel = FileChannel.open(empty, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate(bytes);
      while (zeros.hasRemaining()) {
        int _ = channel.write(zeros);
      }
      channel.force(true);
    }
  }

  /**
   * Writes to each page through memory as it is, where that may be impossible on a full disk: on
   * Btrfs before Linux 6.16, or with mixed block groups. Not for a file that LMDB has open.
   *
   * @throws IOException if a page cannot be written to
   */
  static void probe(Path file) throws IOException {
    if (!isOnBtrfs(file)) {
      return;
    }
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
      for (long at = 0; at < mapped.byteSize(); at += PAGE_BYTES) {
        mapped.set(ValueLayout.JAVA_BYTE, at, mapped.get(ValueLayout.JAVA_BYTE, at));
      }
    } catch (InternalError e) {
      // The JVM's form of SIGBUS in its own accesses.
      throw new FileSystemException(file.toString(), null, FULL);
    }
  }

  /** Returns whether pages of a file may get other blocks when they are written to. */
  static boolean isCopiedOnWrite(Path file) throws IOException {
    return isOnBtrfs(file) && (flags(file, false) & NO_COPY_ON_WRITE) == 0;
  }

  /**
   * Returns whether a file is on Btrfs, by {@code statfs(2)}: below the root of a {@code chroot},
   * no mount is known that {@code Files.getFileStore} could be asked for.
   */
  @SuppressWarnings("restricted") // Native access is granted when the program is started.
  private static boolean isOnBtrfs(Path file) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      MethodHandle statfs =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("statfs"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
      MemorySegment status = arena.allocate(STATFS_BYTES, ValueLayout.JAVA_LONG.byteSize());
      int failed = (int) statfs.invokeExact(arena.allocateFrom(file.toString()), status);
      return failed == 0 && status.get(ValueLayout.JAVA_LONG, 0) == BTRFS_MAGIC;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("the file system of " + file + " is not known", e);
    }
  }

  /** Returns the attributes of a file, and exempts it from copies if wanted and possible. */
  @SuppressWarnings("restricted") // Native access is granted when the program is started.
  private static int flags(Path file, boolean isToExempt) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      MethodHandle open =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("open"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
              Linker.Option.firstVariadicArg(2));
      MethodHandle ioctl =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("ioctl"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.ADDRESS),
              Linker.Option.firstVariadicArg(2));
      MethodHandle close =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("close"),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
      int number = (int) open.invokeExact(arena.allocateFrom(file.toString()), READ_ONLY);
      if (number < 0) {
        return 0;
      }
      MemorySegment flags = arena.allocate(ValueLayout.JAVA_LONG);
      boolean isKnown = (int) ioctl.invokeExact(number, GET_FLAGS, flags) == 0;
      if (isKnown && isToExempt) {
        flags.set(ValueLayout.JAVA_INT, 0, flags.get(ValueLayout.JAVA_INT, 0) | NO_COPY_ON_WRITE);
        isKnown = (int) ioctl.invokeExact(number, SET_FLAGS, flags) == 0;
      }
      int _ = (int) close.invokeExact(number);
      return isKnown ? flags.get(ValueLayout.JAVA_INT, 0) : 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("the attributes of " + file + " are not known", e);
    }
  }
}
