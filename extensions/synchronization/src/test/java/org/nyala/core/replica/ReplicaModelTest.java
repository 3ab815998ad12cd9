package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.session.OperationFixture;

/**
 * Random changes of a model of a provider, sessions that are cut off anywhere, and refreshes of all
 * kinds: after each session that goes through, the copy equals the model.
 */
final class ReplicaModelTest {
  private static final int RUNS = 60;
  private static final int SESSIONS = 12;

  @Test
  void copiesEqualTheirProviders() throws Exception {
    long seed = Seeds.seed();
    for (int run = 0; run < RUNS; run++) {
      try (Run one = new Run(seed + run)) {
        one.go();
      } catch (AssertionError | Exception e) {
        throw new AssertionError("seed " + (seed + run), e);
      }
    }
  }

  /** One provider and its copy. */
  private static final class Run implements AutoCloseable {
    private final Random random;
    private final ModelProvider provider;
    private final InMemoryBackend store;
    private final DirectoryOperations operations;
    private Replica replica;
    private int misfits;
    private final Dn suffix;

    Run(long seed) throws Exception {
      random = new Random(seed);
      provider = new ModelProvider(random);
      suffix = DnParser.parse(OperationFixture.SCHEMA, ModelProvider.SUFFIX);
      store =
          new InMemoryBackend(
              OperationFixture.SCHEMA, List.of(suffix), List.of(), random.nextBoolean());
      operations =
          new DirectoryOperations(
              OperationFixture.SCHEMA,
              List.of(store),
              new AccessPolicy(true),
              ServerLimits.DEFAULT,
              RootAccounts.NONE,
              System::nanoTime,
              UpdateSettings.of(2, Thread.ofPlatform().daemon().factory()));
      replica = replica();
    }

    private Replica replica() {
      return replica(random.nextBoolean() ? 1 << 20 : 3000);
    }

    private Replica replica(long waitingBytes) {
      return new Replica(
          operations.directory(),
          new ReplicaSettings(suffix, 1, 100, 1 + random.nextInt(20), 1 << 20, waitingBytes),
          MemoryBudget.ofHeap(System::nanoTime).open("replication"));
    }

    void go() throws Exception {
      for (int session = 0; session < SESSIONS; session++) {
        for (int i = random.nextInt(12); i > 0; i--) {
          provider.change();
        }
        session(random.nextInt(3) == 0);
      }
      session(false);
    }

    private void session(boolean isCut) throws Exception {
      SyncCookie cookie = replica.begin();
      List<SyncMessage> refresh = provider.refresh(cookie);
      int most = isCut ? random.nextInt(refresh.size()) : refresh.size();
      CsnVector before = stored();
      try {
        for (SyncMessage message : refresh.subList(0, most)) {
          replica.take(message);
        }
      } catch (ReplicaException e) {
        replica.end(e);
        again(e);
        return;
      }
      if (isCut) {
        replica.end(null);
        if (random.nextInt(3) == 0) {
          // The server starts again.
          replica = replica();
        }
        assertThat(stored()).as("the numbers after a refresh that was cut").isEqualTo(before);
        return;
      }
      if (!takeLate()) {
        session(false);
        return;
      }
      assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.FOLLOWING);
      assertThat(copy()).isEqualTo(provider.content());
      for (int i = random.nextInt(4); i > 0; i--) {
        for (SyncMessage message : provider.follow(random.nextInt(6))) {
          replica.take(message);
          if (random.nextInt(4) == 0) {
            // Sent again, as after a refresh that has brought it.
            replica.take(message);
          }
        }
      }
      replica.end(null);
      assertThat(copy()).isEqualTo(provider.content());
      // Messages that came again have followed the last number.
      assertThat(stored().given()).isEqualTo(provider.csns());
    }

    /**
     * Takes what was changed during the refresh; false if it does not fit: an entry that was named
     * and deleted before it was sent still stands below another one that is deleted before it.
     */
    private boolean takeLate() throws Exception {
      try {
        for (SyncMessage message : provider.late()) {
          replica.take(message);
        }
        Patience.eventually("everything is written", () -> replica.progress().queued() == 0);
        replica.idle(1);
        return true;
      } catch (ReplicaException e) {
        replica.end(e);
        assertThat(e.kind()).isEqualTo(ReplicaException.Kind.MISFIT);
        assertThat(e).hasMessageContaining("which has others below it here");
        return false;
      }
    }

    private void again(ReplicaException failure) throws Exception {
      if (failure.kind() == ReplicaException.Kind.AGAIN) {
        // Entries that are to go below others below themselves wait in any case.
        assertThat(failure).hasMessageContaining("wait for their places");
        replica = replica(1 << 20);
      } else {
        // The name that an entry has lost is forgotten when the server starts again. Parents that
        // change while the refresh is sent come after it.
        assertThat(failure)
            .hasMessageMatching(
                ".*(what became of entries|parents of entries have not come|have no parents).*");
        assertThat(++misfits).as("misfits before everything is sent again").isLessThan(3);
      }
      session(false);
      misfits = 0;
    }

    private CsnVector stored() {
      try (ReadTransaction read = store.beginRead()) {
        return read.journal(suffix).present();
      }
    }

    private Map<String, String> copy() {
      Map<String, String> all = new TreeMap<>();
      for (Entry entry : store.entries()) {
        String ou = value(entry, "ou");
        all.put(
            entry.dn().toString().toLowerCase(Locale.ROOT),
            value(entry, "entryUUID")
                + " "
                + (entry.dn().rdnCount() == 2 ? ModelProvider.SUFFIX : "ou=" + ou)
                + " "
                + value(entry, "description")
                + " "
                + value(entry, "entryCSN"));
      }
      return all;
    }

    private static String value(Entry entry, String name) {
      AttributeDescription description = AttributeDescription.parse(OperationFixture.SCHEMA, name);
      List<byte[]> values = entry.values(description);
      return values == null ? "" : new String(values.getFirst(), UTF_8);
    }

    @Override
    public void close() {
      operations.close();
      store.close();
    }
  }
}
