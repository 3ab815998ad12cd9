package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.lmdbjava.Txn;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

@Timeout(300)
class JournalTest extends JournalTestCase {
  private final JournalStorm storm = new JournalStorm(new Random(seed));

  @Override
  void begin(LmdbBackend backend) {
    storm.begin(backend);
  }

  private static LmdbSettings bounded(int changes, long bytes, int hours) {
    return SETTINGS.with(draft -> draft.journal = new JournalBounds(changes, bytes, hours));
  }

  @Test
  void shouldHaveEachCommittedChangeInOrder() {
    LmdbBackend backend = create(SETTINGS);
    for (int round = 0; round < 120; round++) {
      storm.transact(backend);
      if (storm.random.nextInt(15) == 0) {
        backend = reopen(backend, SETTINGS);
      }
      assertThat(JournalStorm.read(backend)).as("seed %d", seed).isEqualTo(storm.journal());
    }
    JournalEntry newest = storm.journal().getLast();
    assertThat(backend.status().journal())
        .isEqualTo(
            new JournalStatus(
                storm.journal().size(),
                storm.journal().size() * 43L,
                storm.journal().getFirst().csn().time().toEpochMilli(),
                newest.csn()));
    assertThat(JournalStorm.floor(backend).csns()).isEmpty();
    backend.close();
    assertSound();
  }

  @Test
  void shouldKeepTheNewestWithinTheBounds() {
    for (LmdbSettings settings :
        List.of(bounded(50, 1 << 20, 1000), bounded(1000, 50 * 43, 1000))) {
      trimTo(settings, 50);
    }
  }

  private void trimTo(LmdbSettings settings, int most) {
    boolean isFirst = storm.journal().isEmpty();
    LmdbBackend backend =
        isFirst ? create(settings) : LmdbBackend.open(data(), TestStore.SCHEMA, settings);
    for (int round = 0; round < 200; round++) {
      storm.transact(backend);
      if (storm.random.nextInt(20) == 0) {
        backend = reopen(backend, settings);
      }
      storm.assertEnd(backend, "seed " + seed);
      assertThat(JournalStorm.read(backend)).hasSizeLessThan(most + 32);
    }
    assertThat(storm.journal()).hasSizeGreaterThan(3 * most);
    backend.close();
    assertSound();
  }

  @Test
  void shouldTrimALongJournalByAndBy() {
    LmdbBackend backend = create(SETTINGS);
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < 3000; i++) {
        storm.change(write);
      }
      write.commit();
    }
    LmdbSettings settings = bounded(100, 1 << 20, 1000);
    backend = reopen(backend, settings);
    int before = JournalStorm.read(backend).size();
    int commits = 0;
    while (before >= 132) {
      try (WriteTransaction write = backend.beginWrite()) {
        storm.change(write);
        write.commit();
      }
      int after = JournalStorm.read(backend).size();
      assertThat(before + 1 - after).as("trimmed by a commit").isBetween(1, 257);
      before = after;
      commits++;
    }
    assertThat(commits).isGreaterThan(10);
    storm.assertEnd(backend, "seed " + seed);
    backend.close();
    assertSound();
  }

  @Test
  void shouldKeepChangesUpToAnAge() {
    LmdbBackend backend = create(bounded(1000, 1 << 20, 1));
    for (int round = 0; round < 180; round++) {
      storm.transact(backend);
      storm.pass(60_000_000L);
      storm.assertEnd(backend, "seed " + seed);
    }
    List<JournalEntry> left = JournalStorm.read(backend);
    // The oldest block goes when its last change is too old.
    assertThat(left).as("seed %d", seed).hasSizeGreaterThan(32);
    assertThat(left.getFirst().sequence()).as("seed %d", seed).isGreaterThan(1);
    long micros = left.getLast().csn().micros() - left.get(31).csn().micros();
    assertThat(micros).as("seed %d", seed).isBetween(1L, 3_600_000_000L * 17 / 16);
    backend.close();
    assertSound();
  }

  @Test
  void shouldNeverTrimTheNewestChange() {
    LmdbBackend backend = create(bounded(1, 1, 1));
    for (int round = 0; round < 20; round++) {
      storm.transact(backend);
      storm.pass(36_000_000_000L);
      assertThat(JournalStorm.read(backend)).isNotEmpty();
    }
    storm.assertEnd(backend, "seed " + seed);
    backend.close();
  }

  @Test
  void shouldLeaveOutChangesWithoutANumber() {
    try (LmdbBackend backend = create(SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      var top = TestStore.dn(TestStore.SUFFIX);
      write.apply(new ResolvedChange.Modify(top, write.find(top), List.of()));
      write.commit();
      assertThat(JournalStorm.read(backend)).isEqualTo(storm.journal());
    }
  }

  @Test
  void shouldBeInBackups() {
    LmdbBackend backend = create(bounded(20, 1 << 20, 1000));
    for (int round = 0; round < 30; round++) {
      storm.transact(backend);
    }
    backend.close();
    StoreBackupTest.backUp(data(), folder.resolve("backup"));
    Path other = folder.resolve("other");
    StoreBackupTest.restore(folder.resolve("backup"), other, false);
    try (LmdbBackend restored = LmdbBackend.open(other, TestStore.SCHEMA, SETTINGS)) {
      storm.assertEnd(restored, "seed " + seed);
      storm.transact(restored);
      storm.assertEnd(restored, "seed " + seed);
    }
  }

  @Test
  void shouldStayThroughACompactionThatChangesGoOnIn() {
    LmdbSettings settings = bounded(40, 1 << 20, 1000);
    try (LmdbBackend backend = create(settings)) {
      for (int round = 0; round < 30; round++) {
        storm.transact(backend);
      }
      int[] calls = new int[1];
      new StoreCompaction(
              backend,
              settings,
              (step, _, _) -> {
                if (step == StoreCompaction.Step.COPYING && calls[0]++ < 5) {
                  storm.transact(backend);
                }
              })
          .run();
      assertThat(calls[0]).isPositive();
      storm.assertEnd(backend, "seed " + seed);
      for (int round = 0; round < 10; round++) {
        storm.transact(backend);
        storm.assertEnd(backend, "seed " + seed);
      }
    }
    assertSound();
  }

  /** As at the end of a refresh from another server: the rows of before stay. */
  @Test
  void shouldRaiseNumbersAndFloorTogether() {
    LmdbBackend backend = create(SETTINGS);
    for (int round = 0; round < 20; round++) {
      storm.transact(backend);
    }
    Csn late = new Csn(Csn.LAST_MICROS - 1000, 0, 1, 0);
    CsnVector raised = CsnVector.ofLargest(List.of(late, new Csn(5, 0, 9, 0)));
    try (WriteTransaction write = backend.beginWrite()) {
      write.raise(TestStore.dn(TestStore.SUFFIX), raised);
    }
    assertThat(JournalStorm.floor(backend).csns()).as("not committed").isEmpty();
    try (WriteTransaction write = backend.beginWrite()) {
      write.raise(TestStore.dn(TestStore.SUFFIX), raised);
      write.commit();
    }
    backend = reopen(backend, SETTINGS);
    assertThat(JournalStorm.floor(backend)).isEqualTo(raised);
    assertThat(JournalStorm.read(backend)).isEqualTo(storm.journal());
    try (WriteTransaction write = backend.beginWrite()) {
      assertThat(write.largestCsns().covers(raised)).isTrue();
      var top = TestStore.dn(TestStore.SUFFIX);
      write.apply(
          new ResolvedChange.Modify(top, write.find(top), List.of()),
          new Csn(Csn.LAST_MICROS, 0, 1, 0));
      write.commit();
    }
    backend.close();
    assertSound();
  }

  /** As after a refresh from nothing, from a server that was restored from a backup. */
  @Test
  void shouldReplaceNumbersByOlderOnes() {
    LmdbBackend backend = create(SETTINGS);
    var top = TestStore.dn(TestStore.SUFFIX);
    CsnVector former = CsnVector.ofLargest(List.of(new Csn(900, 0, 5, 0), new Csn(900, 0, 6, 0)));
    try (WriteTransaction write = backend.beginWrite()) {
      for (Csn each : former.csns()) {
        write.apply(new ResolvedChange.Modify(top, write.find(top), List.of()), each);
      }
      write.commit();
    }
    CsnVector older = CsnVector.EMPTY.with(new Csn(100, 0, 5, 0));
    try (WriteTransaction write = backend.beginWrite()) {
      write.replace(top, older);
      write.commit();
    }
    backend = reopen(backend, SETTINGS);
    assertThat(JournalStorm.floor(backend).covers(former)).isTrue();
    Csn next = new Csn(101, 0, 5, 0);
    try (WriteTransaction write = backend.beginWrite()) {
      assertThat(write.journal(top).present()).isEqualTo(older);
      write.apply(new ResolvedChange.Modify(top, write.find(top), List.of()), next);
      write.commit();
    }
    backend = reopen(backend, SETTINGS);
    try (var read = backend.beginRead();
        var journal = read.journal(top)) {
      assertThat(journal.present()).isEqualTo(CsnVector.EMPTY.with(next));
    }
    backend.close();
    assertSound();
  }

  @Test
  void shouldBeFoundWrongByVerify() {
    try (LmdbBackend backend = create(SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      var top = TestStore.dn(TestStore.SUFFIX);
      Csn early = new Csn(1, 0, storm.journal().getFirst().csn().serverId(), 0);
      write.apply(new ResolvedChange.Modify(top, write.find(top), List.of()), early);
      write.commit();
    }
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems())
        .containsExactly(
            "changes: change 2: 19700101000000.000001Z#000000#00"
                + storm.journal().getFirst().csn().serverId()
                + "#000000 is not after those before it");
  }

  private static ByteBuffer key(long sequence) {
    return ByteBuffer.allocateDirect(Long.BYTES).putLong(sequence).flip();
  }

  private static ByteBuffer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private void damage(BiConsumer<LmdbEnvironment, Txn<ByteBuffer>> damage) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(data(), SETTINGS);
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      damage.accept(environment, txn);
      txn.commit();
    }
  }

  @Test
  void shouldBeFoundDamaged() {
    try (LmdbBackend backend = create(SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < 120; i++) {
        storm.change(write);
      }
      write.commit();
    }
    damage((environment, txn) -> environment.changes().delete(txn, key(33)));
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems())
        .containsExactly("changes: has change 65 after 32");
    damage(
        (environment, txn) -> {
          environment.changes().put(txn, key(97), text("x"));
          environment.meta().put(txn, text("changes"), text("y"));
        });
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems())
        .contains("changes: has a damaged block", "changes: has a damaged tail");
    try (LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      assertThatThrownBy(() -> storm.change(write)).hasMessageEndingWith("is damaged: run verify");
      assertThatThrownBy(() -> JournalStorm.read(backend)).isInstanceOf(StoreException.class);
    }
  }

  @Test
  void shouldBeEmptyInAStoreOfBefore() {
    TestStore.create(data());
    damage((environment, txn) -> environment.changes().drop(txn, true));
    try (LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, SETTINGS.asReadOnly())) {
      assertThat(JournalStorm.read(backend)).isEmpty();
      assertThat(backend.status().journal()).isEqualTo(JournalStatus.EMPTY);
    }
    assertSound();
    try (LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, SETTINGS)) {
      storm.begin(backend);
      assertThat(JournalStorm.read(backend)).isEqualTo(storm.journal());
    }
  }
}
