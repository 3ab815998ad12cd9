package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.session.OperationFixture;

/** A copy in memory, the messages of a provider, and what became of them. */
abstract class ReplicaTestCase {
  static final String SUFFIX = "dc=example,dc=com";
  final Dn suffix = dn(SUFFIX);
  final InMemoryBackend store =
      new InMemoryBackend(OperationFixture.SCHEMA, List.of(suffix), List.of(), true);
  final DirectoryOperations operations =
      new DirectoryOperations(
          OperationFixture.SCHEMA,
          List.of(store),
          new AccessPolicy(true),
          ServerLimits.DEFAULT,
          RootAccounts.NONE,
          System::nanoTime,
          UpdateSettings.of(2, Thread.ofPlatform().daemon().factory()));
  final MemoryAccount memory = MemoryBudget.ofHeap(System::nanoTime).open("replication");
  final Replica replica = replica();
  long micros = 1_700_000_000_000_000L;

  /** Returns a copy as after a start of the server. */
  final Replica replica() {
    return new Replica(
        operations.directory(), new ReplicaSettings(suffix, 1, 20, 8, 1 << 20, 10_000), memory);
  }

  @BeforeEach
  void beginWithTheTop() throws Exception {
    assertThat(replica.begin()).hasToString("rid=001,history=");
    replica.take(entry(1, SUFFIX));
  }

  @AfterEach
  void close() {
    replica.end(null);
    assertThat(memory.held()).isZero();
    operations.close();
    store.close();
  }

  static Dn dn(String text) {
    try {
      return DnParser.parse(OperationFixture.SCHEMA, text);
    } catch (org.nyala.core.dn.InvalidDnException e) {
      throw new AssertionError(e);
    }
  }

  Csn next() {
    return new Csn(++micros, 0, 1, 0);
  }

  CsnVector now() {
    return CsnVector.EMPTY.with(new Csn(micros, 0, 1, 0));
  }

  static SyncCookie cookie(CsnVector csns) {
    return new SyncCookie(1, 1, csns);
  }

  SyncMessage entry(int number, String name, String... more) {
    return message(SyncMessage.State.ADD, number, name, null, more);
  }

  SyncMessage change(int number, String name) {
    Csn csn = next();
    return message(SyncMessage.State.MODIFY, number, name, csn);
  }

  SyncMessage message(SyncMessage.State state, int number, String name, Csn csn, String... more) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    Csn own = csn == null ? next() : csn;
    attributes.add(values("objectClass", "organizationalUnit"));
    attributes.add(values("entryCSN", own.toString()));
    for (String each : more) {
      int at = each.indexOf('=');
      attributes.add(values(each.substring(0, at), each.substring(at + 1)));
    }
    return new SyncMessage.EntryState(
        state,
        new UUID(0, number),
        name,
        attributes,
        csn == null ? null : cookie(CsnVector.EMPTY.with(csn)),
        500);
  }

  static Request.AttributeValues values(String name, String value) {
    return new Request.AttributeValues(name, List.of(value.getBytes(UTF_8)));
  }

  static List<UUID> uuids(int... numbers) {
    return java.util.Arrays.stream(numbers).mapToObj(each -> new UUID(0, each)).toList();
  }

  static SyncMessage present(int... numbers) {
    return new SyncMessage.IdSet(uuids(numbers), false);
  }

  SyncMessage end(boolean refreshDeletes) {
    return new SyncMessage.PhaseEnd(refreshDeletes, true, cookie(now()));
  }

  Set<String> names() {
    Set<String> names = new TreeSet<>();
    store.entries().forEach(each -> names.add(each.dn().toString()));
    return names;
  }

  CsnVector stored() {
    try (ReadTransaction read = store.beginRead()) {
      return read.journal(suffix).present();
    }
  }

  /** Refreshes the copy to the top and some entries below it, and ends the session. */
  void filled(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      replica.take(entry(10 + i, "ou=e" + i + "," + SUFFIX));
    }
    replica.take(end(false));
    replica.end(null);
  }

  /** Returns the reason for which the writer ends the persist stage. */
  Kind failureOfWriter() throws Exception {
    AtomicReference<Kind> kind = new AtomicReference<>();
    Patience.eventually(
        "the writer has ended it",
        () -> {
          try {
            replica.idle(1);
          } catch (ReplicaException e) {
            kind.set(e.kind());
          }
          return kind.get() != null;
        });
    return kind.get();
  }

  Kind failure(SyncMessage... messages) throws InterruptedException {
    try {
      for (SyncMessage each : messages) {
        replica.take(each);
      }
      replica.take(end(true));
      return null;
    } catch (ReplicaException e) {
      replica.end(e);
      return e.kind();
    }
  }
}
