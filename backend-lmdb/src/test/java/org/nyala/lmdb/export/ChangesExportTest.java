package org.nyala.lmdb.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.journal.TrimmedChangesException;

class ChangesExportTest extends ImportTestCase {
  private static final String SUFFIX = TestStore.SUFFIX;

  private final List<String> lines = new ArrayList<>();
  private CsnVector upTo = CsnVector.EMPTY;

  @BeforeEach
  void fill() throws IOException {
    load(settings(), TOP + person("a", "entryCSN: " + csn(10, 2) + "\n"));
  }

  private LmdbBackend open() {
    return LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
  }

  /** Returns a number of some seconds after the import. */
  private static Csn csn(long second, int server) {
    return new Csn((CLOCK.instant().getEpochSecond() + second) * 1_000_000, 0, server, 0);
  }

  private static Dn dn(String rdn) {
    return TestStore.dn(rdn + "," + SUFFIX);
  }

  private static void add(WriteTransaction write, String rdn, Csn csn) {
    Entry entry = new Entry(dn(rdn));
    TestStore.add(entry, "cn", "x");
    write.apply(new ResolvedChange.Add(entry), csn);
  }

  private long read(ChangesExport export) throws IOException {
    lines.clear();
    return export.run(
        (change, name, _, vector) -> {
          String text = name == null ? "-" : new String(name, StandardCharsets.UTF_8);
          String moved = change.movesSubordinates() ? "+" : "";
          lines.add(change.sequence() + " " + change.kind() + moved + " " + text);
          upTo = vector;
        });
  }

  @Test
  void shouldTellChangesWithTheNamesThatEntriesHaveNow() throws IOException {
    try (LmdbBackend backend = open()) {
      ChangesExport export = new ChangesExport(backend, null, 2);
      assertThat(read(export)).as("the import begins a journal").isZero();
      try (WriteTransaction write = backend.beginWrite()) {
        add(write, "ou=b", csn(11, 1));
        add(write, "cn=c,ou=b", csn(12, 1));
        add(write, "cn=d", csn(13, 1));
        long id = write.find(dn("ou=b"));
        write.apply(new ResolvedChange.Rename(dn("ou=b"), id, dn("ou=e"), List.of()), csn(14, 1));
        write.apply(new ResolvedChange.Delete(dn("cn=d"), write.find(dn("cn=d"))), csn(15, 1));
        write.commit();
      }
      assertThat(read(export)).isEqualTo(5);
      assertThat(lines)
          .containsExactly(
              "1 ADD ou=e," + SUFFIX,
              "2 ADD cn=c,ou=e," + SUFFIX,
              "3 ADD -",
              "4 RENAME+ ou=e," + SUFFIX,
              "5 DELETE -");
      assertThat(upTo.of(1)).isEqualTo(csn(15, 1));
      assertThat(upTo.of(2)).as("of the import").isEqualTo(csn(10, 2));
      assertThat(read(export)).isZero();
      try (WriteTransaction write = backend.beginWrite()) {
        add(write, "cn=f", csn(16, 1));
        write.commit();
      }
      assertThat(read(export)).isEqualTo(1);
      assertThat(lines).containsExactly("6 ADD cn=f," + SUFFIX);
    }
  }

  @Test
  void shouldGoOnAfterACookieOfAnyServers() throws IOException {
    try (LmdbBackend backend = open()) {
      CsnVector imported;
      try (WriteTransaction write = backend.beginWrite()) {
        imported = write.largestCsns();
        add(write, "cn=b", csn(11, 1));
        add(write, "cn=c", csn(12, 2));
        add(write, "cn=d", csn(13, 1));
        add(write, "cn=e", csn(14, 3));
        write.commit();
      }
      assertThat(read(new ChangesExport(backend, imported))).isEqualTo(4);
      CsnVector some = imported.with(csn(11, 1)).with(csn(14, 3));
      ChangesExport export = new ChangesExport(backend, some);
      assertThat(read(export)).isEqualTo(2);
      assertThat(lines).containsExactly("2 ADD cn=c," + SUFFIX, "3 ADD cn=d," + SUFFIX);
      assertThat(read(new ChangesExport(backend, upTo))).isZero();
      export.goOnIn(backend);
      assertThat(read(export)).as("opened again").isZero();
    }
  }

  @Test
  void shouldRefuseACookieOfBeforeTheJournal() throws IOException {
    try (LmdbBackend backend = open()) {
      assertThatThrownBy(() -> read(new ChangesExport(backend, CsnVector.EMPTY)))
          .isInstanceOf(TrimmedChangesException.class)
          .hasMessageContaining("it begins after rid=000,csn=")
          .hasMessageContaining(csn(10, 2).toString());
      CsnVector otherServer = CsnVector.EMPTY.with(csn(100, 1));
      assertThatThrownBy(() -> read(new ChangesExport(backend, otherServer)))
          .isInstanceOf(TrimmedChangesException.class);
    }
  }

  private void change(LmdbBackend backend, String rdn, Csn csn) {
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, rdn, csn);
      write.commit();
    }
  }

  @Test
  void shouldRefuseACookieOfChangesThatTheDataLacks() throws IOException {
    try (LmdbBackend backend = open()) {
      change(backend, "cn=b", csn(11, 1));
      CsnVector all;
      try (WriteTransaction write = backend.beginWrite()) {
        all = write.largestCsns();
      }
      assertThat(read(new ChangesExport(backend, all))).isZero();
      for (Csn more : List.of(csn(12, 1), csn(1, 7))) {
        assertThatThrownBy(() -> read(new ChangesExport(backend, all.with(more))))
            .isInstanceOf(TrimmedChangesException.class)
            .hasMessageContaining("it is older, or other data");
      }
    }
  }

  @Test
  void shouldNoticeThatDataWasPutBack() throws IOException {
    Path backup = directory.resolve("backup");
    ChangesExport export;
    try (LmdbBackend backend = open()) {
      change(backend, "cn=b", csn(11, 1));
    }
    StoreBackupTest.backUp(data, backup);
    try (LmdbBackend backend = open()) {
      export = new ChangesExport(backend, null);
      assertThat(read(export)).isEqualTo(1);
      change(backend, "cn=c", csn(12, 1));
      change(backend, "cn=d", csn(13, 1));
      assertThat(read(export)).isEqualTo(2);
    }
    StoreBackupTest.restore(backup, data, true);
    try (LmdbBackend backend = open()) {
      for (int second = 14; second < 18; second++) {
        export.goOnIn(backend);
        assertThatThrownBy(() -> read(export)).isInstanceOf(TrimmedChangesException.class);
        change(backend, "cn=e" + second, csn(second, 1));
      }
    }
  }

  @Test
  void shouldNoticeAnotherImport() throws IOException {
    ChangesExport export;
    try (LmdbBackend backend = open()) {
      change(backend, "cn=b", csn(11, 1));
      export = new ChangesExport(backend, null);
      assertThat(read(export)).isEqualTo(1);
    }
    load(
        settings().with(draft -> draft.replace = true),
        TOP
            + person("a", "entryCSN: " + csn(11, 1) + "\n")
            + person("b", "entryCSN: " + csn(10, 2) + "\n"));
    try (LmdbBackend backend = open()) {
      export.goOnIn(backend);
      assertThatThrownBy(() -> read(export)).isInstanceOf(TrimmedChangesException.class);
    }
  }

  @Test
  void shouldNoticeThatChangesWereTrimmedBeforeTheyWereRead() throws IOException {
    try (LmdbBackend backend =
        LmdbBackend.open(
            data,
            SCHEMA,
            TestStore.SETTINGS.with(draft -> draft.journal = new JournalBounds(10, 1 << 20, 1)))) {
      ChangesExport export = new ChangesExport(backend, null);
      assertThat(read(export)).isZero();
      try (WriteTransaction write = backend.beginWrite()) {
        for (int i = 0; i < 8; i++) {
          add(write, "cn=n" + i, csn(20 + i, 1));
        }
        write.commit();
      }
      assertThat(read(export)).isEqualTo(8);
      try (WriteTransaction write = backend.beginWrite()) {
        for (int i = 0; i < 60; i++) {
          add(write, "cn=m" + i, csn(40 + i, 1));
        }
        write.commit();
      }
      assertThatThrownBy(() -> read(export)).isInstanceOf(TrimmedChangesException.class);
      assertThat(lines).isEmpty();
    }
  }
}
