package org.nyala.lmdb.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;

class StoreVerifierTest {
  @TempDir Path directory;

  private TestStore store;

  @FunctionalInterface
  private interface Damage {
    void apply(LmdbEnvironment environment, Txn<ByteBuffer> txn);
  }

  @BeforeEach
  void fill() {
    store = TestStore.random(directory, new Random(7), 60);
  }

  @Test
  void shouldCountEntriesAndPostings() {
    StoreVerifier.Report report = Verification.verify(directory, TestStore.SCHEMA, 10);
    assertThat(report.entries()).isEqualTo(store.entries.size());
    assertThat(report.postings()).isGreaterThan(store.entries.size() * 3L);
  }

  @Test
  void shouldNameAnotherFormatBeforeDatabasesThatOnlyItHas() {
    addDatabase();
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 10).problems())
        .containsExactly("data.mdb: has a database that a store does not have");
    change("version", "99");
    assertThatThrownBy(() -> Verification.verify(directory, TestStore.SCHEMA, 10))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(" has format 99; this Nyala reads formats 2 and 3");
  }

  private void addDatabase() {
    try (Env<ByteBuffer> env =
        Env.create().setMaxDbs(1).setMapSize(1 << 30).open(directory.toFile())) {
      env.openDbi("later", DbiFlags.MDB_CREATE).put(direct("key"), direct("value"));
    }
  }

  private void change(String key, String value) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, TestStore.SETTINGS);
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      environment.meta().put(txn, direct(key), direct(value));
      txn.commit();
    }
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Test
  void shouldReportAMissingRecord() {
    assertThat(after((env, txn) -> env.id2entry().delete(txn, id(lastId()))))
        .anyMatch(line -> line.contains("dn2id leads to entry " + lastId()))
        .anyMatch(line -> line.contains("postings where entries have"));
  }

  @Test
  void shouldReportAMissingParent() {
    assertThat(after((env, txn) -> env.id2entry().delete(txn, id(1))))
        .anyMatch(line -> line.contains("its ancestor 1 does not exist"));
  }

  @Test
  void shouldReportDamagedRecords() {
    for (int at : new int[] {0, 1, 2, 6, 16, 20, 22}) {
      assertThat(after((env, txn) -> flip(env, txn, lastId(), at)))
          .as("byte %d", at)
          .anyMatch(line -> line.contains("entry " + lastId() + ": "));
      after((env, txn) -> flip(env, txn, lastId(), at));
      store.assertSound();
    }
  }

  @Test
  void shouldSurviveAnyFlippedByteOfARecord() {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, TestStore.SETTINGS)) {
      for (int at = 0; at < 100; at++) {
        flip(environment, at);
        StoreVerifier.Report report = Verification.verify(environment, TestStore.SCHEMA, 10);
        assertThat(report.entries()).isEqualTo(store.entries.size());
        flip(environment, at);
      }
    }
    store.assertSound();
  }

  @Test
  void shouldReportFlagsThatTheObjectClassesDoNotAskFor() {
    assertThat(after((env, txn) -> change(env, txn, bytes -> bytes[1] ^= EntryRecord.SUBENTRY)))
        .anyMatch(line -> line.startsWith("entry " + lastId() + ": flags "));
  }

  @Test
  void shouldReportAnAttributeThatIsThereTwice() {
    assertThat(problemOf("cn:a", "sn:s", "cn:b")).isEqualTo("attribute cn occurs twice");
    assertThat(problemOf("cn:a", "cn;lang-en:a")).isNull();
  }

  @Test
  void shouldReportAttributesThatStandWhereTheyDoNotBelong() {
    assertThat(problemOf("cn:a", "userPassword:p", "|", "createTimestamp:20200101000000Z"))
        .isNull();
    assertThat(problemOf("userPassword:p", "cn:a"))
        .isEqualTo("attribute cn follows one that is stored behind all others");
    assertThat(problemOf("cn:a", "createTimestamp:20200101000000Z"))
        .isEqualTo("attribute createTimestamp is not in the part of the record for its kind");
    assertThat(problemOf("cn:a", "|", "sn:s"))
        .isEqualTo("attribute sn is not in the part of the record for its kind");
    assertThat(problemOf("cn:a", "|", "userPassword:p"))
        .isEqualTo("attribute userPassword is not in the part of the record for its kind");
  }

  /** Returns the fault in a record of these attributes, the operational ones after "|". */
  private static @Nullable String problemOf(String... attributes) {
    AttributeNumbers numbers = new AttributeNumbers(AttributeTable.EMPTY);
    EntryRecordWriter writer = new EntryRecordWriter().begin(1, new byte[] {'x'}, 0);
    boolean isOperational = false;
    for (String attribute : attributes) {
      if (attribute.equals("|")) {
        isOperational = true;
        continue;
      }
      String[] parts = attribute.split(":", 2);
      var description = AttributeDescription.parse(TestStore.SCHEMA, parts[0]);
      List<byte[]> values = List.of(parts[1].getBytes(StandardCharsets.UTF_8));
      byte[] name = description.nameBytes();
      writer.attribute(numbers.id(description), name, isOperational, false, values);
    }
    ByteAppender record = new ByteAppender(256);
    writer.finish(record);
    return new RecordCheck(numbers.table(), TestStore.SCHEMA)
        .problem(ByteBuffer.wrap(record.toByteArray()));
  }

  @Test
  void shouldReportAMissingName() {
    assertThat(
            after(
                (env, txn) -> {
                  ByteAppender key = new ByteAppender(64);
                  var dn = store.entries.get(lastId()).dn();
                  long parent = store.parents.get(lastId());
                  Dn2IdKeys.append(parent, dn.normalizedRdn(0), key);
                  env.dn2id().delete(txn, direct(key.toByteArray()));
                }))
        .anyMatch(line -> line.contains("dn2id does not lead from"))
        .anyMatch(line -> line.contains("names for"));
  }

  @Test
  void shouldReportAStrayName() {
    assertThat(
            after(
                (env, txn) -> {
                  ByteAppender key = new ByteAppender(64);
                  Dn2IdKeys.append(1, new byte[] {'x'}, key);
                  env.dn2id().put(txn, direct(key.toByteArray()), id(999_999));
                }))
        .anyMatch(line -> line.contains("dn2id leads to entry 999999"));
  }

  @Test
  void shouldReportAStrayPosting() {
    assertThat(after((env, txn) -> env.index().put(txn, indexKey("zz"), direct(0, 9))))
        .anyMatch(line -> line.contains("postings where entries have"));
  }

  @Test
  void shouldReportADamagedPosting() {
    assertThat(after((env, txn) -> env.index().put(txn, indexKey("zz"), direct(9, 9, 9))))
        .anyMatch(line -> line.contains("damaged posting"));
  }

  @Test
  void shouldReportAMissingPosting() {
    assertThat(
            after(
                (env, txn) -> {
                  ByteAppender key = new ByteAppender(64);
                  IndexKeys.appendParentPrefix(0, key);
                  env.index().delete(txn, direct(key.appendInt(0).toByteArray()));
                }))
        .anyMatch(line -> line.startsWith("entry 1: missing in index"));
  }

  @Test
  void shouldReportAWrongNextEntryId() {
    assertThat(after((env, txn) -> env.meta().put(txn, text("nextEntryId"), text("3"))))
        .anyMatch(line -> line.contains("next entry id 3"));
  }

  @Test
  void shouldReportATopEntryThatNoSuffixLeadsTo() {
    assertThat(after((env, txn) -> env.meta().put(txn, text("suffix/0000"), text("dc=elsewhere"))))
        .anyMatch(line -> line.startsWith("entry 1: ") && line.endsWith("is no suffix"));
  }

  @Test
  void shouldReportNoMoreThanAskedFor() {
    after((env, txn) -> env.index().drop(txn));
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).hasSize(5);
  }

  private long lastId() {
    return store.entries.lastKey();
  }

  private List<String> after(Damage damage) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, TestStore.SETTINGS)) {
      try (Txn<ByteBuffer> txn = environment.beginWrite()) {
        damage.apply(environment, txn);
        txn.commit();
      }
      return Verification.verify(environment, TestStore.SCHEMA, 1000).problems();
    }
  }

  private void change(LmdbEnvironment environment, Txn<ByteBuffer> txn, Consumer<byte[]> change) {
    ByteBuffer record = environment.id2entry().get(txn, id(lastId()));
    byte[] bytes = new byte[record.remaining()];
    record.get(bytes);
    change.accept(bytes);
    environment.id2entry().put(txn, id(lastId()), direct(bytes));
  }

  private static void flip(LmdbEnvironment environment, Txn<ByteBuffer> txn, long id, int at) {
    ByteBuffer record = environment.id2entry().get(txn, id(id));
    byte[] bytes = new byte[record.remaining()];
    record.get(bytes);
    bytes[at] ^= 0x55;
    environment.id2entry().put(txn, id(id), direct(bytes));
  }

  private void flip(LmdbEnvironment environment, int at) {
    try (Txn<ByteBuffer> txn = environment.beginWrite()) {
      flip(environment, txn, lastId(), at);
      txn.commit();
    }
  }

  private static ByteBuffer indexKey(String value) {
    ByteAppender key = new ByteAppender(64);
    byte[] bytes = value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    IndexKeys.appendPrefix(1, IndexKind.EQUALITY, bytes, 0, bytes.length, key);
    return direct(key.appendInt(0).toByteArray());
  }

  private static ByteBuffer id(long id) {
    return ByteBuffer.allocateDirect(8).putLong(id).flip();
  }

  private static ByteBuffer text(String text) {
    return direct(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private static ByteBuffer direct(int... values) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(values.length);
    for (int value : values) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
