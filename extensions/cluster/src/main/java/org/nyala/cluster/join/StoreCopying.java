package org.nyala.cluster.join;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ClusterSettings;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.raft.ClusterStatus;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.core.backend.LogMark;
import org.nyala.core.update.Update;

/**
 * The copies that a server fetches from members: at its start as one, and whenever the log does not
 * reach back to what it has. Thread-safe; one copy at a time.
 */
public final class StoreCopying implements ClusterSettings.Copying {
  private static final System.Logger LOG = System.getLogger(StoreCopying.class.getName());

  private final Path folder;
  private final Supplier<ReplicatedBackend> store;
  private final Supplier<Predicate<Update>> ahead;
  private final LongFunction<List<Source>> sources;

  /** A member that may have a copy, and what to close after it was asked. */
  record Source(String name, Peer peer, AutoCloseable connection) {}

  private StoreCopying(
      Path folder,
      Supplier<ReplicatedBackend> store,
      Supplier<Predicate<Update>> ahead,
      LongFunction<List<Source>> sources) {
    this.folder = folder;
    this.store = store;
    this.ahead = ahead;
    this.sources = sources;
  }

  /**
   * Creates the copying of a member.
   *
   * @param folder for a copy that arrives, on the file system of the data
   * @param store of this server
   * @param ahead takes an update before others; see {@link ReplicatedBackend#start}
   * @param log of this member; null while it is none
   * @param joined where this server has asked for admission; null if that is not known
   */
  public static StoreCopying of(
      Path folder,
      Supplier<ReplicatedBackend> store,
      Supplier<Predicate<Update>> ahead,
      Supplier<@Nullable RaftMember> log,
      Supplier<@Nullable Joiner> joined) {
    return new StoreCopying(folder, store, ahead, least -> sources(log.get(), joined.get()));
  }

  /** Returns the other members, followers first; else the one that this server has asked. */
  private static List<Source> sources(@Nullable RaftMember log, @Nullable Joiner joined) {
    List<Source> found = new ArrayList<>();
    if (log != null) {
      ClusterStatus status = log.status();
      for (ClusterStatus.Peer peer : status.members()) {
        var id = peer.address().id();
        if (!id.equals(status.self())) {
          Source source =
              new Source(
                  peer.address().toString(),
                  (kind, request, timeout) -> log.ask(id, kind, request, timeout),
                  () -> {});
          found.add(id.equals(status.leader()) ? found.size() : 0, source);
        }
      }
    }
    if (found.isEmpty() && joined != null) {
      found.add(joined.source());
    }
    return found;
  }

  @Override
  public CompletionStage<Void> fetch(LogPosition first) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("nyala-cluster-copy-in")
        .start(
            () -> {
              try {
                fetchAny(first.index());
                done.complete(null);
              } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  private void fetchAny(long leastIndex) throws IOException {
    IOException last = new IOException("there is no other member to fetch a copy from");
    for (Source source : sources.apply(leastIndex)) {
      try (AutoCloseable _ = source.connection) {
        LOG.log(
            System.Logger.Level.INFO,
            "the log does not reach back to what this member has: a copy is fetched from {0}",
            source.name);
        LogMark mark = take(source.peer, leastIndex);
        LOG.log(
            System.Logger.Level.INFO,
            "this member has a copy from {0}, up to entry {1}",
            source.name,
            Long.toString(mark.index()));
        return;
      } catch (IOException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "no copy from {0}: {1}",
            source.name,
            String.valueOf(e.getMessage()));
        last = e;
      } catch (Exception e) {
        last = new IOException("no copy from " + source.name + ": " + e.getMessage(), e);
      }
    }
    throw last;
  }

  /**
   * Fetches a copy, and has it take the place of the store's data.
   *
   * @param leastIndex the place in the log that it must reach to
   * @return the place that the store has then
   */
  synchronized LogMark take(Peer peer, long leastIndex) throws IOException {
    ReplicatedBackend mine = store.get();
    CopyFetch.run(peer, leastIndex, folder, mine.transfer().fileName());
    LogMark mark = mine.transfer().check(folder);
    if (mark.index() < leastIndex) {
      throw new IOException(
          "the copy reaches to entry " + mark.index() + ", not to entry " + leastIndex);
    }
    try {
      mine.replace(folder, ahead.get()).toCompletableFuture().get();
      return mark;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IOException(String.valueOf((cause == null ? e : cause).getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the wait for the writer was interrupted", e);
    } finally {
      CopyServer.delete(folder);
    }
  }
}
