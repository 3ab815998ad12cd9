package org.nyala.cluster.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.SchemaLoader;

final class BatchTest {
  private static final ExtendedSchema SCHEMA = ExtendedSchema.of(SchemaLoader.standard());
  private static final BatchId ID = new BatchId(0x1234_5678_9abc_def0L, -1);
  private static final Csn FIRST = new Csn(1_000_000, 1, 1, 0);
  private static final Csn OTHER = new Csn(2_000_000, 0, 7, 3);
  private static final Before BEFORE =
      new Before("ab".repeat(32), 17, CsnVector.EMPTY.with(FIRST).with(OTHER));
  private static final Dn TOP = dn("dc=example,dc=com");

  private static Dn dn(String text) {
    try {
      return DnParser.parse(SCHEMA.schema(), text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static AttributeDescription description(String name) {
    AttributeDescription found = AttributeDescription.parse(SCHEMA.schema(), name);
    assertThat(found).isNotNull();
    return found;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static BatchWriter plain() {
    BatchWriter writer = new BatchWriter();
    writer.begin(ID, BEFORE);
    Entry entry = new Entry(dn("CN=Ä\\, b,dc=Example,dc=com"));
    entry.add(description("objectClass"), bytes("device"));
    entry.add(description("cn"), bytes("Ä, b"));
    entry.add(description("cn;lang-de"), new byte[] {0, -1, 7});
    entry.add(description("description"), new byte[0]);
    writer.author(dn("cn=admin"));
    writer.applied(new ResolvedChange.Add(entry), FIRST, 17);
    AttributeChange replaced =
        new AttributeChange.Replaced(description("description"), List.of(bytes("x"), bytes("y")));
    AttributeChange updated =
        new AttributeChange.Updated(description("cn"), List.of(bytes("a")), List.of(bytes("b")));
    writer.applied(new ResolvedChange.Modify(TOP, 1, List.of(replaced, updated)), OTHER, 1);
    writer.author(dn("cn=admin"));
    writer.author(Dn.EMPTY);
    Dn renamed = dn("cn=new,dc=example,dc=com");
    writer.applied(new ResolvedChange.Rename(entry.dn(), 17, renamed, List.of(updated)), null, 17);
    writer.applied(new ResolvedChange.Delete(renamed, 17), FIRST, 17);
    writer.numbered(TOP, OTHER);
    writer.raised(TOP, BEFORE.csns());
    writer.replaced(TOP, CsnVector.EMPTY);
    writer.promoted(TOP, Promotion.ofFormerWriter(7, "ldap://other"));
    writer.continued(TOP, ContextHistory.imported(BEFORE.csns(), Instant.EPOCH));
    writer.sourced(TOP, new CopySource("ldap://other", ""));
    writer.epochs(TOP, new ContextEpochs(new Epoch(1, 2, "0123456789abcdef"), Epoch.NONE));
    return writer;
  }

  private static BatchWriter full() {
    BatchWriter writer = plain();
    writer.defined(extended());
    return writer;
  }

  private static ExtendedSchema extended() {
    return SCHEMA.with(
        List.of(
            ExtendedSchema.parse(
                DefinitionKind.ATTRIBUTE_TYPE,
                "( 1.2.3.4 NAME 'added' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )")));
  }

  private static Batch read(ByteBuffer entry) throws InvalidBatchException {
    return BatchReader.read(entry, SCHEMA, 1 << 20);
  }

  /** Writes a batch again as it was read. */
  private static ByteBuffer again(Batch batch) {
    BatchWriter writer = new BatchWriter();
    writer.begin(batch.id(), batch.before());
    for (RecordedCall call : batch.calls()) {
      switch (call) {
        case RecordedCall.Applied it -> writer.applied(it.change(), it.csn(), it.entryId());
        case RecordedCall.Authored it -> writer.author(it.author());
        case RecordedCall.Numbered it -> writer.numbered(it.name(), it.csn());
        case RecordedCall.Raised it -> writer.raised(it.name(), it.csns());
        case RecordedCall.Replaced it -> writer.replaced(it.name(), it.csns());
        case RecordedCall.Promoted it -> writer.promoted(it.suffix(), it.promotion());
        case RecordedCall.Continued it -> writer.continued(it.suffix(), it.history());
        case RecordedCall.Sourced it -> writer.sourced(it.suffix(), it.source());
        case RecordedCall.Epochs it -> writer.epochs(it.suffix(), it.epochs());
        case RecordedCall.Defined it -> writer.defined(it.schema());
      }
    }
    return writer.finish();
  }

  @Test
  void shouldReadWhatItWrites() throws InvalidBatchException {
    ByteBuffer entry = full().finish();
    Batch batch = read(entry);
    assertThat(BatchReader.id(entry)).isEqualTo(ID);
    assertThat(batch.id()).isEqualTo(ID);
    assertThat(batch.before()).isEqualTo(BEFORE);
    assertThat(batch.isAlone()).isTrue();
    assertThat(batch.calls()).hasSize(14);
    assertThat(again(batch)).isEqualTo(entry);
  }

  @Test
  void shouldForgetTheCallsOfAPart() throws InvalidBatchException {
    BatchWriter writer = new BatchWriter();
    writer.begin(ID, BEFORE);
    assertThat(writer.isEmpty()).isTrue();
    writer.author(TOP);
    writer.numbered(TOP, FIRST);
    BatchWriter.Place place = writer.place();
    writer.author(Dn.EMPTY);
    writer.numbered(TOP, OTHER);
    writer.undo(place);
    writer.author(TOP);
    assertThat(read(writer.finish()).calls())
        .containsExactly(new RecordedCall.Authored(TOP), new RecordedCall.Numbered(TOP, FIRST));
  }

  @Test
  void shouldRefuseAnEntryThatIsCutAnywhere() {
    ByteBuffer entry = full().finish();
    for (int length = 0; length < entry.remaining(); length++) {
      ByteBuffer cut = entry.slice(0, length);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(InvalidBatchException.class);
    }
  }

  @Test
  void shouldReadAtAnyPlaceOfABuffer() throws InvalidBatchException {
    ByteBuffer entry = full().finish();
    ByteBuffer larger = ByteBuffer.allocate(entry.remaining() + 20);
    larger.position(7).put(entry.duplicate()).flip().position(7);
    assertThat(BatchReader.id(larger)).isEqualTo(ID);
    assertThat(again(read(larger))).isEqualTo(entry);
    assertThat(larger.position()).isEqualTo(7);
  }

  @Test
  void shouldRefuseWhatIsTooLongOrDamagedOrOfALaterVersion() {
    ByteBuffer entry = full().finish();
    assertThatExceptionOfType(InvalidBatchException.class)
        .isThrownBy(() -> BatchReader.read(entry, SCHEMA, entry.remaining() - 1))
        .withMessageContaining("bytes, at most");
    byte[] damaged = copy(entry);
    damaged[100] ^= 1;
    assertThatExceptionOfType(InvalidBatchException.class)
        .isThrownBy(() -> read(ByteBuffer.wrap(damaged)))
        .withMessage("it is damaged: its checksum is wrong");
    byte[] later = copy(entry);
    later[0]++;
    assertThatExceptionOfType(InvalidBatchException.class)
        .isThrownBy(() -> read(summed(later)))
        .withMessage("it has the format 2, this version reads 1");
  }

  @Test
  void shouldNameAnAttributeThatTheSchemaDoesNotKnow() {
    Entry entry = new Entry(TOP);
    ExtendedSchema richer = extended();
    AttributeDescription added = AttributeDescription.parse(richer.schema(), "added");
    assertThat(added).isNotNull();
    BatchWriter writer = new BatchWriter();
    writer.begin(ID, BEFORE);
    writer.applied(new ResolvedChange.Add(entry.add(added, bytes("x"))), FIRST, 1);
    assertThatExceptionOfType(InvalidBatchException.class)
        .isThrownBy(() -> read(writer.finish()))
        .withMessageContaining("'added', which the schema of this member does not know");
  }

  @Test
  void shouldThrowNothingElseWhateverTheBytesAre() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] plain = copy(plain().finish());
    byte[] full = copy(full().finish());
    int read = 0;
    for (int round = 0; round < 20_000; round++) {
      // To link a schema takes milliseconds.
      byte[] changed = round % 100 == 0 ? full.clone() : plain.clone();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        int at = random.nextInt(changed.length);
        changed[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(4));
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(changed.length) : changed.length;
      try {
        Batch _ = read(summed(Arrays.copyOf(changed, Math.max(length, 4))));
        read++;
      } catch (InvalidBatchException e) {
        assertThat(e.getMessage()).as("test.seed=%d", seed).startsWith("it");
      } catch (RuntimeException e) {
        throw new AssertionError("test.seed=" + seed + " round " + round, e);
      }
    }
    assertThat(read).as("test.seed=%d", seed).isPositive();
  }

  @Test
  void shouldChainEntries() {
    ByteBuffer entry = full().finish();
    LogMark first = Before.next(null, 1, 4, entry);
    assertThat(Before.next(null, 2, 5, entry).chain()).isEqualTo(first.chain());
    assertThat(Before.next(first, 1, 5, entry).chain()).isNotEqualTo(first.chain());
    assertThat(entry.hasRemaining()).isTrue();
  }

  private static byte[] copy(ByteBuffer entry) {
    byte[] copy = new byte[entry.remaining()];
    entry.get(entry.position(), copy);
    return copy;
  }

  /** Puts the right sum at the end. */
  private static ByteBuffer summed(byte[] entry) {
    CRC32C sum = new CRC32C();
    sum.update(entry, 0, entry.length - BatchForm.SUM_BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(entry);
    buffer.putInt(entry.length - BatchForm.SUM_BYTES, (int) sum.getValue());
    return buffer;
  }
}
