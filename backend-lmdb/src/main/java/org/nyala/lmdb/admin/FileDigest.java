package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteDigest;

/** The SHA-256 digest of a file, computed while it is read or copied. */
final class FileDigest {
  private static final int BUFFER_BYTES = 1 << 20;

  private FileDigest() {}

  /** Reads a file; returns its digest in hexadecimal digits. */
  static String of(Path file, CopyProgress.Phase phase, CopyProgress progress) throws IOException {
    return run(file, null, phase, progress);
  }

  /** Copies a file into a new one and syncs that to disk; returns the digest of the copy. */
  static String copy(Path file, Path target, CopyProgress progress) throws IOException {
    try (FileChannel copy =
        FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      String digest = run(file, copy, CopyProgress.Phase.COPYING, progress);
      copy.force(true);
      return digest;
    }
  }

  private static String run(
      Path file, @Nullable FileChannel copy, CopyProgress.Phase phase, CopyProgress progress)
      throws IOException {
    MessageDigest digest = ByteDigest.of("SHA-256");
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    try (FileChannel source = FileChannel.open(file)) {
      long total = source.size();
      long done = 0;
      while (source.read(buffer.clear()) >= 0) {
        digest.update(buffer.flip());
        done += buffer.position();
        buffer.rewind();
        while (copy != null && buffer.hasRemaining()) {
          copy.write(buffer);
        }
        progress.update(phase, done, total);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
