package org.nyala.cluster.join;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.raft.PeerService;
import org.nyala.cluster.raft.RaftException;
import org.nyala.core.bytes.ByteDigest;

/**
 * The service that hands out copies of a member's store, in pieces. Thread-safe.
 *
 * <p>A copy is a file on the disk of the member, made at once, so that no reader of the store waits
 * for a server that fetches it. Requests begin with the byte of their kind: {@link #BEGIN} with the
 * least place in the log, answered by an id; {@link #STATE} with the id, answered by 0 while the
 * copy is made, else by 1, its length, the length of its pieces and its digest; {@link #PIECE} with
 * id and offset, answered by 1, the digest of the piece and the piece, or by 0 and the milliseconds
 * to wait for the limit of rate; {@link #END} with the id.
 */
public final class CopyServer implements PeerService, AutoCloseable {
  static final byte BEGIN = 1;
  static final byte STATE = 2;
  static final byte PIECE = 3;
  static final byte END = 4;

  static final byte WAIT = 0;
  static final byte READY = 1;

  /** The length of a piece: far below the limit of messages, and a moment of a slow network. */
  static final int PIECE_BYTES = 1 << 20;

  static final int DIGEST_BYTES = 32;
  private static final String DIGEST = "SHA-256";

  /** The requests that wait: more come from no fetching server, which asks one after the other. */
  private static final int MOST_WAITING = 64;

  private static final int LONGEST_WAIT_MILLIS = 1_000;
  private static final System.Logger LOG = System.getLogger(CopyServer.class.getName());

  private final ReplicatedBackend store;
  private final Path folder;
  private final long bytesPerSecond;
  private final int mostCopies;
  private final long idleNanos;
  private final Map<UUID, Copy> copies = new HashMap<>();
  private final ScheduledThreadPoolExecutor executor;
  private long freeNanos = System.nanoTime();

  /** A copy that is made, or handed out. Its fields are guarded by the server. */
  private static final class Copy {
    final Path folder;
    long usedNanos = System.nanoTime();
    boolean isEnded;
    boolean isMade;
    @Nullable FileChannel file;
    long bytes;
    byte[] digest = new byte[0];
    @Nullable String failure;

    Copy(Path folder) {
      this.folder = folder;
    }
  }

  /**
   * Begins to serve.
   *
   * @param folder for the copies; what is in it is deleted
   */
  public CopyServer(ReplicatedBackend store, Path folder, CopyLimits limits) throws IOException {
    this.store = store;
    this.folder = folder;
    this.bytesPerSecond = (long) limits.mebibytesPerSecond() << 20;
    this.mostCopies = limits.atOnce();
    this.idleNanos = TimeUnit.SECONDS.toNanos(limits.idleSeconds());
    delete(folder);
    this.executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("nyala-cluster-copies").factory());
    executor.setRemoveOnCancelPolicy(true);
    var _ = executor.scheduleWithFixedDelay(this::endIdle, 1, 1, TimeUnit.SECONDS);
  }

  @Override
  public CompletionStage<ByteBuffer> answer(ByteBuffer request) {
    CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
    if (executor.getQueue().size() > MOST_WAITING) {
      answer.completeExceptionally(
          new RaftException("The member has too many requests for copies."));
      return answer;
    }
    try {
      executor.execute(
          () -> {
            try {
              answer.complete(answerNow(request));
            } catch (IOException | RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new RaftException("The member stops.", e));
    }
    return answer;
  }

  private ByteBuffer answerNow(ByteBuffer request) throws IOException {
    int kind = request.hasRemaining() ? request.get() : 0;
    int expected =
        switch (kind) {
          case BEGIN -> Long.BYTES;
          case STATE, END -> 2 * Long.BYTES;
          case PIECE -> 3 * Long.BYTES;
          default -> -1;
        };
    if (request.remaining() != expected) {
      throw new RaftException("A request for a copy is not well-formed.");
    }
    if (kind == BEGIN) {
      return begin(request.getLong());
    }
    UUID id = new UUID(request.getLong(), request.getLong());
    return switch (kind) {
      case STATE -> state(id);
      case PIECE -> piece(id, request.getLong());
      default -> end(id);
    };
  }

  private synchronized ByteBuffer begin(long leastIndex) throws IOException {
    long index = store.position().index();
    if (index < leastIndex) {
      throw new RaftException(
          "The member has the log up to entry "
              + index
              + ", and the copy is to reach to entry "
              + leastIndex
              + ".");
    }
    if (copies.size() >= mostCopies) {
      throw new RaftException(
          "The member hands out as many copies as it may (cluster.copiesAtOnce = "
              + mostCopies
              + "): try again later.");
    }
    UUID id = UUID.randomUUID();
    Copy copy = new Copy(folder.resolve(id.toString()));
    copies.put(id, copy);
    Thread.ofPlatform().daemon().name("nyala-cluster-copy-out").start(() -> make(copy));
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .flip();
  }

  private void make(Copy copy) {
    String failure = null;
    FileChannel file = null;
    byte[] digest = new byte[0];
    long bytes = 0;
    try {
      Path made = store.transfer().copy(copy.folder);
      digest = digest(made);
      file = FileChannel.open(made);
      bytes = file.size();
    } catch (IOException | RuntimeException e) {
      failure = String.valueOf(e.getMessage());
      LOG.log(System.Logger.Level.WARNING, "no copy for another member: {0}", failure);
    }
    synchronized (this) {
      copy.isMade = true;
      copy.failure = failure;
      copy.file = file;
      copy.bytes = bytes;
      copy.digest = digest;
      copy.usedNanos = System.nanoTime();
      if (copy.isEnded) {
        discard(copy);
      }
    }
  }

  /** Returns the digest of a file. */
  static byte[] digest(Path file) throws IOException {
    MessageDigest digest = ByteDigest.of(DIGEST);
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES);
    try (FileChannel in = FileChannel.open(file)) {
      while (in.read(buffer.clear()) >= 0) {
        digest.update(buffer.flip());
      }
    }
    return digest.digest();
  }

  /** Returns the digest of a piece. */
  static byte[] digest(ByteBuffer piece) {
    MessageDigest digest = ByteDigest.of(DIGEST);
    digest.update(piece.duplicate());
    return digest.digest();
  }

  private Copy require(UUID id) throws RaftException {
    Copy copy = copies.get(id);
    if (copy == null) {
      throw new RaftException("The member has no such copy any more: begin again.");
    }
    copy.usedNanos = System.nanoTime();
    return copy;
  }

  private synchronized ByteBuffer state(UUID id) throws IOException {
    Copy copy = require(id);
    if (!copy.isMade) {
      return ByteBuffer.wrap(new byte[] {WAIT});
    }
    if (copy.failure != null) {
      end(id);
      throw new RaftException("The member could make no copy: " + copy.failure + ".");
    }
    return ByteBuffer.allocate(1 + Long.BYTES + Integer.BYTES + DIGEST_BYTES)
        .put(READY)
        .putLong(copy.bytes)
        .putInt(PIECE_BYTES)
        .put(copy.digest)
        .flip();
  }

  private synchronized ByteBuffer piece(UUID id, long offset) throws IOException {
    Copy copy = require(id);
    FileChannel file = copy.file;
    if (file == null || offset < 0 || offset >= copy.bytes) {
      throw new RaftException("The copy has no piece at " + offset + ".");
    }
    long now = System.nanoTime();
    long wait = TimeUnit.NANOSECONDS.toMillis(freeNanos - now);
    if (bytesPerSecond > 0 && wait > 0) {
      return ByteBuffer.allocate(1 + Integer.BYTES)
          .put(WAIT)
          .putInt((int) Math.min(wait, LONGEST_WAIT_MILLIS))
          .flip();
    }
    int length = (int) Math.min(PIECE_BYTES, copy.bytes - offset);
    if (bytesPerSecond > 0) {
      freeNanos = now + TimeUnit.SECONDS.toNanos(length) / bytesPerSecond;
    }
    ByteBuffer answer = ByteBuffer.allocate(1 + DIGEST_BYTES + length);
    answer.put(READY).position(1 + DIGEST_BYTES);
    while (answer.hasRemaining()) {
      if (file.read(answer, offset + answer.position() - 1 - DIGEST_BYTES) < 0) {
        throw new EOFException("the copy has become shorter");
      }
    }
    byte[] digest = digest(answer.slice(1 + DIGEST_BYTES, length));
    return answer.put(1, digest).flip();
  }

  private synchronized ByteBuffer end(UUID id) {
    Copy copy = copies.remove(id);
    if (copy != null) {
      copy.isEnded = true;
      if (copy.isMade) {
        discard(copy);
      }
    }
    return ByteBuffer.allocate(0);
  }

  private synchronized void endIdle() {
    long now = System.nanoTime();
    List<UUID> idle = new ArrayList<>();
    copies.forEach(
        (id, copy) -> {
          if (copy.isMade && now - copy.usedNanos > idleNanos) {
            idle.add(id);
          }
        });
    idle.forEach(this::end);
  }

  /** Returns the number of copies that are made or handed out. */
  synchronized int count() {
    return copies.size();
  }

  private static void discard(Copy copy) {
    FileChannel file = copy.file;
    try {
      if (file != null) {
        file.close();
      }
      delete(copy.folder);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a copy for another member stays: {0}", e.toString());
    }
  }

  /** Deletes a folder, and the files and folders in it, if it exists. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> all;
    try (var found = Files.walk(folder)) {
      all = found.toList();
    }
    for (Path each : all.reversed()) {
      Files.deleteIfExists(each);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
    synchronized (this) {
      List.copyOf(copies.keySet()).forEach(this::end);
    }
  }
}
