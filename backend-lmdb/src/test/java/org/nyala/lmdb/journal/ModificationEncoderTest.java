package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Modifications;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;

class ModificationEncoderTest {
  private static final String SALES = "ou=Sales," + TestStore.SUFFIX;
  private static final String TWO = "ou=Two+l=Here," + TestStore.SUFFIX;

  @TempDir Path folder;

  private final ModificationRecord record = new ModificationRecord(1 << 16);
  private final ModificationEncoder encoder =
      new ModificationEncoder(() -> TestStore.SCHEMA, record);
  private LmdbBackend backend;
  private long sales;
  private long two;

  @BeforeEach
  void fill() {
    TestStore.create(folder.resolve("data"));
    backend = LmdbBackend.open(folder.resolve("data"), TestStore.SCHEMA, TestStore.SETTINGS);
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, TestStore.SUFFIX, "dc=example");
      sales = add(write, SALES, "ou=Sales", "ou=Other", "description=old");
      two = add(write, TWO, "ou=Two", "l=Here");
      write.commit();
    }
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(TestStore.SCHEMA, name);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long add(WriteTransaction write, String name, String... values) {
    Entry entry = new Entry(TestStore.dn(name));
    for (String value : values) {
      int equals = value.indexOf('=');
      entry.add(description(value.substring(0, equals)), bytes(value.substring(equals + 1)));
    }
    return write.apply(new ResolvedChange.Add(entry));
  }

  private static AttributeChange replaced(String name, String... values) {
    List<byte[]> each = List.of(values).stream().map(ModificationEncoderTest::bytes).toList();
    return new AttributeChange.Replaced(description(name), each);
  }

  private static AttributeChange removed(String name, String value) {
    return new AttributeChange.Updated(description(name), List.of(bytes(value)), List.of());
  }

  private void encode(ResolvedChange change) {
    try (ReadTransaction read = backend.beginRead()) {
      encoder.encode(change, read);
    }
  }

  private void rename(long id, String from, String to, AttributeChange... changes) {
    encode(
        new ResolvedChange.Rename(
            TestStore.dn(from), id, TestStore.dn(to + "," + TestStore.SUFFIX), List.of(changes)));
  }

  private Modifications kept() {
    assertThat(record.isWhole()).isTrue();
    return ModificationRecord.read(
        ByteBuffer.wrap(record.bytes().array(), 0, record.bytes().length()));
  }

  private static List<String> texts(Modifications modifications) {
    return modifications.values().stream()
        .map(value -> new String(value, StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void shouldLeaveNamingValuesOutOfARename() {
    rename(
        sales,
        SALES,
        "ou=New",
        replaced("ou", "Other", "New"),
        replaced("modifyTimestamp", "20260101000000Z"));
    assertThat(kept().newRdn()).isEqualTo("ou=New");
    assertThat(kept().deletesOldRdn()).isTrue();
    assertThat(kept().newSuperior()).isNull();
    assertThat(texts(kept())).containsExactly("modifyTimestamp:= 20260101000000Z");
  }

  @Test
  void shouldKeepTheOldValueIfTheRenameDoes() {
    rename(sales, SALES, "ou=New", replaced("ou", "Sales", "Other", "New"));
    assertThat(kept().deletesOldRdn()).isFalse();
    assertThat(texts(kept())).isEmpty();
  }

  @Test
  void shouldNotKeepARenameThatLosesAnotherValue() {
    rename(sales, SALES, "ou=New", replaced("ou", "New"));
    assertThat(record.isWhole()).isFalse();
  }

  @Test
  void shouldNotKeepARenameWithAnotherAttribute() {
    rename(sales, SALES, "ou=New", replaced("ou", "Other", "New"), replaced("description", "new"));
    assertThat(record.isWhole()).isFalse();
  }

  @Test
  void shouldNotKeepARenameToTheSameNameInOtherCase() {
    rename(sales, SALES, "ou=SALES", replaced("ou", "Other", "SALES"));
    assertThat(record.isWhole()).isFalse();
  }

  @Test
  void shouldNotKeepARenameThatLosesHalfOfTheOldName() {
    rename(two, TWO, "ou=New", replaced("ou", "New"));
    assertThat(record.isWhole()).isFalse();
    rename(two, TWO, "ou=New", replaced("ou", "New"), removed("l", "here"));
    assertThat(kept().deletesOldRdn()).isTrue();
    rename(two, TWO, "ou=Two", removed("l", "Here"));
    assertThat(kept().newRdn()).isEqualTo("ou=Two");
    assertThat(kept().deletesOldRdn()).isTrue();
  }

  @Test
  void shouldHaveTheNewSuperiorOfAMove() {
    rename(two, TWO, "ou=Two+l=Here,ou=Sales");
    assertThat(kept().name()).isEqualTo(TWO);
    assertThat(kept().newRdn()).isEqualTo("ou=Two+l=Here");
    assertThat(kept().deletesOldRdn()).isFalse();
    assertThat(kept().newSuperior()).isEqualTo(SALES);
    assertThat(texts(kept())).isEmpty();
  }

  @Test
  void shouldNotKeepARemovalFromAnAttributeWithoutAnEqualityRule() {
    assertThat(description("jpegPhoto").type().equality()).isNull();
    encode(
        new ResolvedChange.Modify(
            TestStore.dn(SALES), sales, List.of(removed("jpegPhoto", "picture"))));
    assertThat(record.isWhole()).isFalse();
    encode(
        new ResolvedChange.Modify(
            TestStore.dn(SALES), sales, List.of(removed("description", "old"))));
    assertThat(texts(kept())).containsExactly("description:- old");
  }
}
