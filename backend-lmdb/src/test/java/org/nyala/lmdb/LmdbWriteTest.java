package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.admin.Verification;

class LmdbWriteTest {
  @TempDir Path directory;

  @Test
  @Timeout(300)
  void shouldHoldWhatBruteForceHoldsAfterEveryCommit() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 120);
    WriteStorm storm = new WriteStorm(store, random);
    try (LmdbBackend backend = store.open()) {
      for (int round = 0; round < 60; round++) {
        String context = "seed " + seed + " round " + round;
        TestStore.Saved saved = store.save();
        Csn csn = new Csn(round, 0, 1, 0);
        boolean isKept = random.nextInt(5) > 0;
        try (WriteTransaction write = backend.beginWrite()) {
          changes(write, storm, store, random, context);
          Dn top = TestStore.dn(TestStore.SUFFIX);
          write.apply(new ResolvedChange.Modify(top, write.find(top), List.of()), csn);
          if (random.nextInt(5) == 0) {
            compareInside(write, storm, store, random, context);
          }
          if (isKept) {
            write.commit();
          }
        }
        if (!isKept) {
          store.restore(saved);
        }
        try (ReadTransaction read = backend.beginRead()) {
          storm.compareEntries(read, context);
        }
        LmdbSearchTest.compare(backend::beginRead, store, random, 25, context);
        try (WriteTransaction write = backend.beginWrite()) {
          assertThat(write.largestCsns().covers(csn)).as(context).isEqualTo(isKept);
        }
        assertSound(backend, store, context);
      }
    }
    store.assertSound();
  }

  private static void changes(
      WriteTransaction write, WriteStorm storm, TestStore store, Random random, String context) {
    for (int i = random.nextInt(30); i >= 0; i--) {
      if (random.nextInt(4) == 0) {
        LmdbSearchTest.compare(() -> new Kept(write), store, random, 2, context + " between");
      }
      if (random.nextInt(8) > 0) {
        storm.change(write);
        continue;
      }
      TestStore.Saved saved = store.save();
      write.beginPart();
      for (int j = random.nextInt(6); j >= 0; j--) {
        storm.change(write);
      }
      if (random.nextBoolean()) {
        write.keepPart();
      } else {
        write.undoPart();
        store.restore(saved);
      }
    }
  }

  private static void compareInside(
      WriteTransaction write, WriteStorm storm, TestStore store, Random random, String context) {
    storm.compareEntries(write, context);
    LmdbSearchTest.compare(() -> new Kept(write), store, random, 10, context + " inside");
  }

  private static void assertSound(LmdbBackend backend, TestStore store, String context) {
    StoreVerifier.Report report = Verification.verify(backend.environment(), TestStore.SCHEMA, 20);
    assertThat(report.problems()).as(context).isEmpty();
    assertThat(report.entries()).as(context).isEqualTo(store.entries.size());
  }

  private LmdbBackend empty() {
    TestStore.create(directory);
    return LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
  }

  private static ResolvedChange.Add person(String name) {
    Entry entry = new Entry(TestStore.dn("cn=" + name + "," + TestStore.SUFFIX));
    TestStore.add(entry, "cn", name);
    return new ResolvedChange.Add(entry);
  }

  private static void addTop(LmdbBackend backend) {
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(new Entry(TestStore.dn(TestStore.SUFFIX))));
      write.commit();
    }
  }

  @Test
  void shouldNotCountChangesThatWereUndone() {
    try (LmdbBackend backend = empty()) {
      addTop(backend);
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(person("kept"));
        write.beginPart();
        write.apply(person("undone"));
        write.apply(person("undone too"));
        write.undoPart();
        write.beginPart();
        write.apply(person("part"));
        write.keepPart();
        write.commit();
      }
      assertThat(backend.status().commits().changes()).isEqualTo(3);
      assertThat(backend.status().commits().largest()).isEqualTo(2);
    }
  }

  @Test
  void shouldNotCountAChangeThatFailed() {
    try (LmdbBackend backend = empty()) {
      addTop(backend);
      try (WriteTransaction write = backend.beginWrite()) {
        write.beginPart();
        write.apply(person("twice"));
        ResolvedChange again = person("twice");
        assertThatThrownBy(() -> write.apply(again)).isInstanceOf(IllegalStateException.class);
        write.undoPart();
        write.apply(person("once"));
        write.commit();
      }
      assertThat(backend.status().commits().changes()).isEqualTo(2);
      assertThat(backend.status().commits().largest()).isEqualTo(1);
    }
  }

  @Test
  void shouldKnowAtOnceWhetherThereAreReferrals() {
    Entry referral = new Entry(TestStore.dn("ou=elsewhere," + TestStore.SUFFIX));
    TestStore.add(referral, "objectClass", "referral");
    try (LmdbBackend backend = empty()) {
      addTop(backend);
      assertThat(mayHoldReferrals(backend)).isFalse();
      long id;
      try (WriteTransaction write = backend.beginWrite()) {
        id = write.apply(new ResolvedChange.Add(referral));
        assertThat(mayHoldReferrals(backend)).as("before the commit").isFalse();
        write.commit();
      }
      assertThat(mayHoldReferrals(backend)).isTrue();
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(new ResolvedChange.Delete(referral.dn(), id));
        assertThat(mayHoldReferrals(backend)).as("before the commit").isTrue();
        write.commit();
      }
      assertThat(mayHoldReferrals(backend)).isFalse();
    }
  }

  private static boolean mayHoldReferrals(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.mayHoldReferralsOrAliases();
    }
  }
}
