package org.nyala.loadtest.result;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A measurement of the time that a file system takes to make one page durable: 4 KiB written over
 * old ones, then {@code fdatasync(2)}. No server that waits for the disk answers one writing client
 * sooner. Immutable.
 *
 * @param fileSystem its type, as {@code ext4}
 * @param medianMicros half of the writes took this long at most
 * @param p99Micros 99 of 100 took this long at most
 */
public record DiskProbe(String fileSystem, double medianMicros, double p99Micros) {
  public static final int WRITES = 200;
  private static final int PAGE = 4096;
  private static final int PAGES = 256;

  /** Writes {@link #WRITES} times to a file in this directory, which is deleted again. */
  public static DiskProbe measure(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, "probe", ".bin");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
      for (int i = 0; i < PAGES; i++) {
        write(channel, page, i);
      }
      channel.force(true);
      long[] nanos = new long[WRITES];
      for (int i = 0; i < WRITES; i++) {
        page.putInt(0, i);
        long start = System.nanoTime();
        write(channel, page, i % PAGES);
        channel.force(false);
        nanos[i] = System.nanoTime() - start;
      }
      Arrays.sort(nanos);
      return new DiskProbe(
          fileSystem(directory), nanos[WRITES / 2] / 1e3, nanos[WRITES * 99 / 100] / 1e3);
    } finally {
      Files.delete(file);
    }
  }

  private static String fileSystem(Path directory) {
    try {
      return Files.getFileStore(directory).type();
    } catch (IOException _) {
      // Below the root of a chroot that no mount begins at.
      return "unknown";
    }
  }

  private static void write(FileChannel channel, ByteBuffer page, int index) throws IOException {
    page.clear();
    while (page.hasRemaining()) {
      channel.write(page, (long) index * PAGE + page.position());
    }
  }
}
