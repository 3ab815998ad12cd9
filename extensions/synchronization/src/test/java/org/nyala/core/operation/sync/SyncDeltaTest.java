package org.nyala.core.operation.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

/** The journal of a store with two naming contexts, one of them a copy. */
final class SyncDeltaTest {
  private static final Dn OWN = UpdateFixture.dn("dc=own");
  private static final Dn COPY = UpdateFixture.dn("dc=copy");

  private final InMemoryBackend store =
      new InMemoryBackend(
          OperationFixture.SCHEMA,
          List.of(OWN, COPY),
          List.of(
              OperationFixture.entry("dc=own", "objectClass", "domain", "dc", "own"),
              OperationFixture.entry("dc=copy", "objectClass", "domain", "dc", "copy")),
          true);

  private static Csn csn(long micros) {
    return new Csn(micros, 0, 0, 0);
  }

  private void change(Dn name, Csn csn) {
    try (WriteTransaction write = store.beginWrite()) {
      write.apply(new ResolvedChange.Modify(name, write.find(name), List.of()), csn);
      write.commit();
    }
  }

  private SyncDelta.Step read(SyncDelta delta) {
    try (ReadTransaction read = store.beginRead();
        var journal = read.journal(OWN)) {
      return delta.read(journal, Pace.UNBOUNDED);
    }
  }

  private SyncDelta delta(Csn from, Csn to) {
    return new SyncDelta(
        CsnVector.EMPTY.with(from),
        CsnVector.EMPTY.with(to),
        ReadTransaction.UNKNOWN_SNAPSHOT,
        false,
        MemoryBudget.ofHeap(() -> 0).open("client"));
  }

  /** The provider of the copy has the number of this server, and changes that are older. */
  @Test
  void changesOfAnotherContextEndNothing() {
    change(OWN, csn(100));
    change(OWN, csn(200));
    change(COPY, csn(50));
    SyncDelta delta = delta(csn(100), csn(200));
    assertThat(read(delta)).isEqualTo(SyncDelta.Step.COMPLETE);
    assertThat(delta.inOrder()).extracting(each -> each.csn).containsExactly(csn(200));
  }

  @Test
  void theFloorOfOtherServersIsNoMatter() {
    change(OWN, csn(100));
    try (WriteTransaction write = store.beginWrite()) {
      write.raise(COPY, CsnVector.EMPTY.with(new Csn(900, 0, 7, 0)));
      write.commit();
    }
    change(OWN, csn(200));
    assertThat(read(delta(csn(100), csn(200)))).isEqualTo(SyncDelta.Step.COMPLETE);
  }
}
