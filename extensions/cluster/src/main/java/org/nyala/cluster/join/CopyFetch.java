package org.nyala.cluster.join;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.nyala.cluster.raft.PeerRequestKind;
import org.nyala.cluster.raft.RaftException;

/**
 * The transfer of a copy from a member's {@link CopyServer}: each piece and the whole have a
 * digest, and what does not fit it is refused.
 *
 * <p>Confined to one thread.
 */
final class CopyFetch {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The longest time that a member takes to make a copy: some hundred gibibytes. */
  private static final long MAKING_NANOS = TimeUnit.HOURS.toNanos(4);

  private static final int TRIES = 3;
  private static final int POLL_MILLIS = 20;
  private static final int MOST_POLL_MILLIS = 1_000;
  private static final long SPARE_BYTES = 64L << 20;
  private static final int MOST_PIECE_BYTES = 16 << 20;

  private final Peer peer;
  private final UUID id;
  private final Path folder;

  /** The extent of the copy. */
  private record Extent(long bytes, int pieceBytes, byte[] digest) {}

  private CopyFetch(Peer peer, UUID id, Path folder) {
    this.peer = peer;
    this.id = id;
    this.folder = folder;
  }

  /**
   * Fetches a copy.
   *
   * @param leastIndex the place in the log that it must reach to
   * @param folder the folder for the file; what is in it is deleted
   * @param name the name of the file
   * @throws RaftException with the sentence of the member, if it refuses
   * @throws IOException if the copy is damaged, or cannot be fetched or written
   */
  static void run(Peer peer, long leastIndex, Path folder, String name) throws IOException {
    CopyServer.delete(folder);
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    ByteBuffer begun =
        peer.answer(
            PeerRequestKind.COPY,
            ByteBuffer.allocate(1 + Long.BYTES).put(CopyServer.BEGIN).putLong(leastIndex).flip(),
            PATIENCE);
    require(begun.remaining() == 2 * Long.BYTES);
    CopyFetch fetch = new CopyFetch(peer, new UUID(begun.getLong(), begun.getLong()), folder);
    try {
      fetch.run(folder.resolve(name));
    } finally {
      var _ = peer.ask(PeerRequestKind.COPY, fetch.request(CopyServer.END), PATIENCE);
    }
  }

  private static void require(boolean isWellFormed) throws IOException {
    if (!isWellFormed) {
      throw new IOException("the answer of the member about a copy is not well-formed");
    }
  }

  private ByteBuffer request(byte kind) {
    return ByteBuffer.allocate(1 + 2 * Long.BYTES)
        .put(kind)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .flip();
  }

  private void run(Path file) throws IOException {
    Extent extent = extent();
    long free = folder.toFile().getUsableSpace();
    if (free < extent.bytes + SPARE_BYTES) {
      throw new IOException(
          "the copy has "
              + extent.bytes
              + " bytes, and "
              + free
              + " bytes of disk are free here, of which "
              + SPARE_BYTES
              + " are to stay so");
    }
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      long offset = 0;
      while (offset < extent.bytes) {
        int expected = (int) Math.min(extent.pieceBytes, extent.bytes - offset);
        ByteBuffer piece = piece(offset, expected);
        while (piece.hasRemaining()) {
          offset += out.write(piece, offset);
        }
      }
      out.force(true);
    }
    if (!Arrays.equals(CopyServer.digest(file), extent.digest)) {
      throw new IOException("the copy has another digest than that of the member: it was refused");
    }
  }

  private Extent extent() throws IOException {
    long end = System.nanoTime() + MAKING_NANOS;
    int pollMillis = POLL_MILLIS;
    while (System.nanoTime() - end < 0) {
      ByteBuffer state = ask(request(CopyServer.STATE));
      require(state.hasRemaining());
      if (state.get() == CopyServer.READY) {
        require(state.remaining() == Long.BYTES + Integer.BYTES + CopyServer.DIGEST_BYTES);
        byte[] digest = new byte[CopyServer.DIGEST_BYTES];
        Extent extent = new Extent(state.getLong(), state.getInt(), digest);
        state.get(digest);
        require(extent.bytes > 0 && extent.pieceBytes > 0 && extent.pieceBytes <= MOST_PIECE_BYTES);
        return extent;
      }
      pause(pollMillis);
      pollMillis = Math.min(2 * pollMillis, MOST_POLL_MILLIS);
    }
    throw new IOException("the member has not made a copy in time");
  }

  private ByteBuffer piece(long offset, int expected) throws IOException {
    ByteBuffer request =
        ByteBuffer.allocate(1 + 3 * Long.BYTES)
            .put(CopyServer.PIECE)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .putLong(offset)
            .flip();
    while (true) {
      ByteBuffer answer = ask(request);
      require(answer.hasRemaining());
      if (answer.get() == CopyServer.READY) {
        require(answer.remaining() == CopyServer.DIGEST_BYTES + expected);
        byte[] digest = new byte[CopyServer.DIGEST_BYTES];
        answer.get(digest);
        if (!Arrays.equals(CopyServer.digest(answer), digest)) {
          throw new IOException(
              "the piece of the copy at " + offset + " was damaged on its way: it was refused");
        }
        return answer;
      }
      require(answer.remaining() == Integer.BYTES);
      pause(Math.clamp(answer.getInt(), 1, MOST_POLL_MILLIS));
    }
  }

  /** Asks again if there is no answer, unless the member refuses. */
  private ByteBuffer ask(ByteBuffer request) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        return peer.answer(PeerRequestKind.COPY, request.duplicate(), PATIENCE);
      } catch (RaftException e) {
        throw e;
      } catch (IOException e) {
        if (tries == TRIES || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        pause(tries * MOST_POLL_MILLIS);
      }
    }
  }

  private static void pause(int millis) throws IOException {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    if (Thread.interrupted()) {
      Thread.currentThread().interrupt();
      throw new IOException("the transfer of a copy was interrupted");
    }
  }
}
