package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Txn;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbEnvironment;

/** The changes that naming contexts have, by server. */
class ContextCsnTest {
  private static final List<String> SUFFIXES = List.of("dc=one,dc=com", "dc=two,dc=com");

  @TempDir Path folder;

  private Path data() {
    return folder.resolve("data");
  }

  private static LmdbBackend open(Path data) {
    return LmdbBackend.open(data, TestStore.SCHEMA, TestStore.SETTINGS);
  }

  private LmdbBackend createWithTops() {
    LmdbBackend.create(data(), TestStore.SCHEMA, SUFFIXES, TestStore.indexes(), TestStore.SETTINGS);
    LmdbBackend backend = open(data());
    try (WriteTransaction write = backend.beginWrite()) {
      for (String suffix : SUFFIXES) {
        write.apply(new ResolvedChange.Add(entry(suffix)));
      }
      write.commit();
    }
    return backend;
  }

  private static Entry entry(String name) {
    Entry entry = new Entry(TestStore.dn(name));
    int comma = name.indexOf(',');
    String rdn = comma < 0 ? name : name.substring(0, comma);
    int equals = rdn.indexOf('=');
    TestStore.add(entry, rdn.substring(0, equals), rdn.substring(equals + 1));
    return entry;
  }

  private static void touch(WriteTransaction write, String name, Csn csn) {
    Dn dn = TestStore.dn(name);
    write.apply(new ResolvedChange.Modify(dn, write.find(dn), List.of()), csn);
  }

  private static CsnVector vector(ReadTransaction read, String suffix) {
    return read.contextCsns(read.find(TestStore.dn(suffix)));
  }

  private static CsnVector vector(LmdbBackend backend, String suffix) {
    try (ReadTransaction read = backend.beginRead()) {
      return vector(read, suffix);
    }
  }

  private static CsnVector vector(Csn... csns) {
    return new CsnVector(List.of(csns));
  }

  private static Csn csn(long micros, int server) {
    return new Csn(micros, 0, server, 0);
  }

  @Test
  void shouldKeepWhatWasCommittedAndNothingElse() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    LmdbBackend backend = createWithTops();
    List<Map<Integer, Csn>> expected = List.of(new TreeMap<>(), new TreeMap<>());
    for (int round = 0; round < 150; round++) {
      List<Map<Integer, Csn>> after = copy(expected);
      boolean isKept = random.nextInt(4) > 0;
      try (WriteTransaction write = backend.beginWrite()) {
        change(write, after, random, round);
        if (random.nextInt(3) == 0) {
          write.beginPart();
          List<Map<Integer, Csn>> part = copy(after);
          change(write, part, random, round);
          if (random.nextBoolean()) {
            write.keepPart();
            after = part;
          } else {
            write.undoPart();
          }
        }
        assertVectors(write, after, "seed " + seed + " inside");
        if (isKept) {
          write.commit();
          expected = after;
        }
      }
      if (random.nextInt(10) == 0) {
        backend.close();
        backend = open(data());
      }
      try (ReadTransaction read = backend.beginRead()) {
        assertVectors(read, expected, "seed " + seed + " round " + round);
      }
    }
    backend.close();
  }

  private static List<Map<Integer, Csn>> copy(List<Map<Integer, Csn>> vectors) {
    List<Map<Integer, Csn>> copies = new ArrayList<>();
    vectors.forEach(each -> copies.add(new TreeMap<>(each)));
    return copies;
  }

  private static void change(
      WriteTransaction write, List<Map<Integer, Csn>> vectors, Random random, int round) {
    for (int i = random.nextInt(4); i > 0; i--) {
      int suffix = random.nextInt(SUFFIXES.size());
      Csn csn = csn(round * 10 + random.nextInt(20), random.nextInt(3) * 0x7ff);
      touch(write, SUFFIXES.get(suffix), csn);
      vectors.get(suffix).merge(csn.serverId(), csn, (a, b) -> a.isAfter(b) ? a : b);
    }
  }

  private static void assertVectors(
      ReadTransaction read, List<Map<Integer, Csn>> expected, String context) {
    for (int i = 0; i < SUFFIXES.size(); i++) {
      assertThat(vector(read, SUFFIXES.get(i)).csns())
          .as(context)
          .containsExactlyElementsOf(expected.get(i).values());
    }
  }

  @Test
  void shouldCountAMoveInBothNamingContexts() {
    try (LmdbBackend backend = createWithTops()) {
      String from = "cn=x," + SUFFIXES.getFirst();
      String to = "cn=x," + SUFFIXES.getLast();
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(new ResolvedChange.Add(entry(from)), csn(1, 1));
        long id = write.find(TestStore.dn(from));
        write.apply(
            new ResolvedChange.Rename(TestStore.dn(from), id, TestStore.dn(to), List.of()),
            csn(2, 1));
        write.apply(new ResolvedChange.Delete(TestStore.dn(to), id), csn(3, 1));
        assertThat(write.largestCsns()).isEqualTo(vector(csn(3, 1)));
        write.commit();
      }
      assertThat(vector(backend, SUFFIXES.getFirst())).isEqualTo(vector(csn(2, 1)));
      assertThat(vector(backend, SUFFIXES.getLast())).isEqualTo(vector(csn(3, 1)));
    }
  }

  @Test
  void shouldShowThoseOfTheEmptySuffixAtEachEntryBelowIt() {
    LmdbBackend.create(data(), TestStore.SCHEMA, List.of(""), List.of(), TestStore.SETTINGS);
    try (LmdbBackend backend = open(data())) {
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(new ResolvedChange.Add(entry("dc=com")), csn(1, 1));
        write.apply(new ResolvedChange.Add(entry("dc=org")), csn(2, 1));
        write.commit();
      }
      assertThat(vector(backend, "dc=com")).isEqualTo(vector(csn(2, 1)));
      assertThat(vector(backend, "dc=org")).isEqualTo(vector(csn(2, 1)));
    }
  }

  @Test
  void shouldBeInBackups() {
    try (LmdbBackend backend = createWithTops();
        WriteTransaction write = backend.beginWrite()) {
      touch(write, SUFFIXES.getFirst(), csn(5, 1));
      touch(write, SUFFIXES.getFirst(), csn(4, 2));
      write.commit();
    }
    StoreBackupTest.backUp(data(), folder.resolve("backup"));
    Path other = folder.resolve("other");
    StoreBackupTest.restore(folder.resolve("backup"), other, false);
    try (LmdbBackend backend = open(other);
        WriteTransaction write = backend.beginWrite()) {
      assertThat(vector(write, SUFFIXES.getFirst())).isEqualTo(vector(csn(5, 1), csn(4, 2)));
      assertThat(vector(write, SUFFIXES.getLast())).isEqualTo(CsnVector.EMPTY);
      assertThat(write.largestCsns()).isEqualTo(vector(csn(5, 1), csn(4, 2)));
    }
  }

  /** Turns the store into one of format 2, whose top entry has the values that slapcat wrote. */
  private void makeFormer(String contextCsn, Csn... stored) {
    try (LmdbBackend backend = createWithTops();
        WriteTransaction write = backend.beginWrite()) {
      replace(write, SUFFIXES.getFirst(), "contextCSN", stored);
      write.commit();
    }
    turnFormer(contextCsn);
  }

  private static void replace(WriteTransaction write, String name, String type, Csn... csns) {
    Dn dn = TestStore.dn(name);
    AttributeDescription description = AttributeDescription.parse(TestStore.SCHEMA, type);
    List<byte[]> values = new ArrayList<>();
    for (Csn csn : csns) {
      values.add(csn.toString().getBytes(StandardCharsets.US_ASCII));
    }
    AttributeChange change = new AttributeChange.Replaced(description, values);
    write.apply(new ResolvedChange.Modify(dn, write.find(dn), List.of(change)));
  }

  private void turnFormer(String contextCsn) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(data(), TestStore.SETTINGS);
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      environment.meta().put(txn, text("version"), text("2"));
      environment.meta().put(txn, text("contextCsn"), text(contextCsn));
      txn.commit();
    }
  }

  private static ByteBuffer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private String meta(String key) {
    try (LmdbEnvironment environment =
            LmdbEnvironment.open(data(), TestStore.SETTINGS.asReadOnly());
        Txn<ByteBuffer> txn = environment.beginRead()) {
      ByteBuffer value = environment.meta().get(txn, text(key));
      return value == null ? null : StandardCharsets.UTF_8.decode(value).toString();
    }
  }

  @Test
  void shouldReadAStoreOfTheFormatBefore() throws IOException {
    Csn last = Csn.parse("20260131120000.123456Z#000000#001#000000");
    Csn other = Csn.parse("20260101120000.000000Z#000000#002#000000");
    makeFormer(last.toString(), other);
    assertThat(Exported.ldif(data()).lines().filter(line -> line.startsWith("contextCSN")))
        .containsExactly("contextCSN: " + last, "contextCSN: " + other, "contextCSN: " + last);
    try (LmdbBackend backend = open(data())) {
      assertThat(vector(backend, SUFFIXES.getFirst())).isEqualTo(vector(last));
      try (WriteTransaction write = backend.beginWrite()) {
        assertThat(write.largestCsns()).isEqualTo(vector(last));
        touch(write, SUFFIXES.getFirst(), csn(last.micros() + 1, 3));
      }
      assertThat(vector(backend, SUFFIXES.getFirst())).as("undone").isEqualTo(vector(last));
    }
    assertThat(meta("version")).isEqualTo("2");
  }

  @Test
  void shouldBringAStoreOfTheFormatBeforeIntoThisOneWithTheFirstChange() {
    Csn last = Csn.parse("20260131120000.123456Z#000000#001#000000");
    makeFormer(last.toString());
    Csn next = csn(last.micros() + 1, 1);
    try (LmdbBackend backend = open(data())) {
      try (WriteTransaction write = backend.beginWrite()) {
        touch(write, SUFFIXES.getFirst(), csn(last.micros() + 7, 1));
      }
      try (WriteTransaction write = backend.beginWrite()) {
        touch(write, SUFFIXES.getFirst(), next);
        write.commit();
      }
      assertThat(vector(backend, SUFFIXES.getFirst())).isEqualTo(vector(next));
      assertThat(vector(backend, SUFFIXES.getLast())).isEqualTo(vector(last));
    }
    assertThat(meta("version")).isEqualTo("3");
    assertThat(meta("contextCsn")).isNull();
    assertThat(meta("contextCsn/0000/001")).isEqualTo(next.toString());
    assertThat(meta("contextCsn/0001/001")).isEqualTo(last.toString());
    assertThat(meta("journalFloor/001")).isEqualTo(last.toString());
  }

  private List<String> problems() {
    return StoreVerifier.verifyValues(data(), TestStore.SCHEMA, 20, EntryProgress.NONE).problems();
  }

  /** Gives entries numbers, as an import does, and makes one change in a naming context. */
  private void change(Map<String, Csn> entryCsns, String changed, Csn csn) {
    try (LmdbBackend backend = open(data());
        WriteTransaction write = backend.beginWrite()) {
      entryCsns.forEach((name, each) -> replace(write, name, "entryCSN", each));
      touch(write, changed, csn);
      write.commit();
    }
  }

  @Test
  void shouldVerifyTheNumbersThatOtherServersGaveInTheFormatBefore() {
    Csn last = Csn.parse("20260131120000.123456Z#000000#001#000000");
    Csn other = Csn.parse("20260101120000.000000Z#000000#002#000000");
    try (LmdbBackend backend = createWithTops();
        WriteTransaction write = backend.beginWrite()) {
      replace(write, SUFFIXES.getFirst(), "entryCSN", last);
      replace(write, SUFFIXES.getLast(), "entryCSN", other);
      write.commit();
    }
    turnFormer(last.toString());
    assertThat(problems()).isEmpty();
    for (int more = 1; more < 3; more++) {
      change(Map.of(), SUFFIXES.getFirst(), csn(last.micros() + more, 1));
      assertThat(meta("version")).isEqualTo("3");
      assertThat(meta("contextCsn/former")).isEqualTo(last.toString());
      assertThat(problems()).isEmpty();
    }
  }

  /** A copy may have entries whose number its provider has not reached. */
  @Test
  void shouldAcceptNumbersAboveThatOfTheNamingContext() {
    try (LmdbBackend backend = createWithTops()) {
      assertThat(backend).isNotNull();
    }
    change(Map.of(SUFFIXES.getLast(), csn(10, 1)), SUFFIXES.getLast(), csn(9, 1));
    assertThat(problems()).isEmpty();
  }

  @Test
  void shouldVerifyThatNumbersCanBeRead() {
    try (LmdbBackend backend = createWithTops();
        WriteTransaction write = backend.beginWrite()) {
      Dn dn = TestStore.dn(SUFFIXES.getFirst());
      AttributeDescription type = AttributeDescription.parse(TestStore.SCHEMA, "entryCSN");
      byte[] value = "20269901000000.000000Z#000000#001#000000".getBytes(StandardCharsets.US_ASCII);
      AttributeChange change = new AttributeChange.Replaced(type, List.of(value));
      write.apply(new ResolvedChange.Modify(dn, write.find(dn), List.of(change)), csn(1, 1));
      write.commit();
    }
    assertThat(problems())
        .containsExactly("entry 1: its entryCSN cannot be read, or has a time that does not exist");
  }

  @Test
  void shouldKeepNumbersThatEntriesWereGiven() {
    try (LmdbBackend backend = createWithTops()) {
      try (WriteTransaction write = backend.beginWrite()) {
        touch(write, SUFFIXES.getFirst(), csn(5, 1));
        write.note(TestStore.dn(SUFFIXES.getFirst()), csn(4, 0xabc));
        write.commit();
      }
      assertThat(vector(backend, SUFFIXES.getFirst())).isEqualTo(vector(csn(5, 1), csn(4, 0xabc)));
    }
  }

  @Test
  void shouldOpenAStoreOfTheFormatBeforeWhoseNumberIsNone() {
    makeFormer("");
    try (LmdbBackend backend = open(data())) {
      assertThat(vector(backend, SUFFIXES.getFirst())).isEqualTo(CsnVector.EMPTY);
    }
  }
}
