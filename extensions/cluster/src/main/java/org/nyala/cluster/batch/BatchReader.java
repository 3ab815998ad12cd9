package org.nyala.cluster.batch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The reader of entries in the form of {@link BatchForm}. It takes no more memory than the entry
 * has bytes: every length is compared to what is left.
 *
 * <p>Confined to one thread.
 */
public final class BatchReader {
  private final ByteBuffer source;
  private final ExtendedSchema schema;

  private BatchReader(ByteBuffer source, ExtendedSchema schema) {
    this.source = source;
    this.schema = schema;
  }

  /** Returns the identity of a batch, by its head alone; null if the entry is too short. */
  public static @Nullable BatchId id(ByteBuffer entry) {
    int at = entry.position() + 1;
    return entry.remaining() < BatchForm.HEAD_BYTES
        ? null
        : new BatchId(entry.getLong(at), entry.getLong(at + Long.BYTES));
  }

  /**
   * Reads an entry.
   *
   * @param entry from position to limit, which stay
   * @param schema by which names and descriptions are understood
   * @param mostBytes the most bytes that an entry may have
   * @throws InvalidBatchException if it is damaged, of another version, or not of this schema
   */
  public static Batch read(ByteBuffer entry, ExtendedSchema schema, int mostBytes)
      throws InvalidBatchException {
    ByteBuffer source = entry.slice();
    int length = source.remaining();
    if (length > mostBytes) {
      throw new InvalidBatchException(
          "it has " + length + " bytes, at most " + mostBytes + " are allowed");
    }
    if (length < BatchForm.HEAD_BYTES + BatchForm.SUM_BYTES) {
      throw new InvalidBatchException("it is too short");
    }
    source.limit(length - BatchForm.SUM_BYTES);
    CRC32C sum = new CRC32C();
    sum.update(source.duplicate());
    if ((int) sum.getValue() != entry.getInt(entry.limit() - BatchForm.SUM_BYTES)) {
      throw new InvalidBatchException("it is damaged: its checksum is wrong");
    }
    return new BatchReader(source, schema).batch();
  }

  private Batch batch() throws InvalidBatchException {
    int version = source.get();
    if (version != BatchForm.VERSION) {
      throw new InvalidBatchException(
          "it has the format " + version + ", this version reads " + BatchForm.VERSION);
    }
    BatchId id = new BatchId(source.getLong(), source.getLong());
    byte[] chain = new byte[Before.CHAIN_BYTES];
    source.get(chain);
    Before before = new Before(HexFormat.of().formatHex(chain), source.getLong(), vector());
    List<RecordedCall> calls = new ArrayList<>();
    while (source.hasRemaining()) {
      calls.add(call(source.get()));
    }
    return new Batch(id, before, calls);
  }

  private RecordedCall call(int kind) throws InvalidBatchException {
    return switch (kind) {
      case BatchForm.ADD -> applied(new ResolvedChange.Add(entry()));
      case BatchForm.MODIFY -> applied(new ResolvedChange.Modify(name(), number(), changes()));
      case BatchForm.RENAME ->
          applied(new ResolvedChange.Rename(name(), number(), name(), changes()));
      case BatchForm.DELETE -> applied(new ResolvedChange.Delete(name(), number()));
      case BatchForm.AUTHOR -> new RecordedCall.Authored(name());
      case BatchForm.NUMBER -> new RecordedCall.Numbered(name(), csn());
      case BatchForm.RAISE -> new RecordedCall.Raised(name(), vector());
      case BatchForm.REPLACE -> new RecordedCall.Replaced(name(), vector());
      case BatchForm.PROMOTION -> new RecordedCall.Promoted(name(), note(Promotion::parse));
      case BatchForm.HISTORY -> new RecordedCall.Continued(name(), note(ContextHistory::parse));
      case BatchForm.SOURCE -> new RecordedCall.Sourced(name(), note(CopySource::parse));
      case BatchForm.EPOCHS -> new RecordedCall.Epochs(name(), note(ContextEpochs::parse));
      case BatchForm.SCHEMA -> new RecordedCall.Defined(definitions());
      default -> throw new InvalidBatchException("it has a change of the unknown kind " + kind);
    };
  }

  private RecordedCall applied(ResolvedChange change) throws InvalidBatchException {
    Csn csn =
        switch (octet()) {
          case 0 -> null;
          case 1 -> csn();
          default -> throw malformed();
        };
    return new RecordedCall.Applied(change, csn, number());
  }

  private Entry entry() throws InvalidBatchException {
    Entry entry = new Entry(name());
    for (int left = count(2 * Integer.BYTES); left > 0; left--) {
      AttributeDescription description = description();
      for (int values = count(Integer.BYTES); values > 0; values--) {
        entry.add(description, value());
      }
    }
    return entry;
  }

  private List<AttributeChange> changes() throws InvalidBatchException {
    List<AttributeChange> changes = new ArrayList<>();
    for (int left = count(1 + 2 * Integer.BYTES); left > 0; left--) {
      changes.add(
          switch (octet()) {
            case BatchForm.REPLACED -> new AttributeChange.Replaced(description(), values());
            case BatchForm.UPDATED ->
                new AttributeChange.Updated(description(), values(), values());
            default -> throw malformed();
          });
    }
    return changes;
  }

  private List<byte[]> values() throws InvalidBatchException {
    List<byte[]> values = new ArrayList<>();
    for (int left = count(Integer.BYTES); left > 0; left--) {
      values.add(value());
    }
    return values;
  }

  private AttributeDescription description() throws InvalidBatchException {
    String name = text();
    AttributeDescription description = AttributeDescription.parse(schema.schema(), name);
    if (description == null) {
      throw new InvalidBatchException(
          "it has the attribute '" + name + "', which the schema of this member does not know");
    }
    return description;
  }

  private ExtendedSchema definitions() throws InvalidBatchException {
    try {
      List<ExtendedSchema.Addition> additions = new ArrayList<>();
      for (int left = count(2 * Integer.BYTES); left > 0; left--) {
        additions.add(ExtendedSchema.parse(DefinitionKind.valueOf(text()), text()));
      }
      return ExtendedSchema.of(schema.base(), additions);
    } catch (InvalidSchemaException e) {
      throw new InvalidBatchException(
          "its definitions do not suit the schema of this member: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new InvalidBatchException("it has a definition of an unknown kind", e);
    }
  }

  private <T> T note(Function<String, @Nullable T> parser) throws InvalidBatchException {
    T note = parser.apply(text());
    if (note == null) {
      throw malformed();
    }
    return note;
  }

  private Dn name() throws InvalidBatchException {
    byte[] raw = value();
    try {
      return DnParser.parse(schema.schema(), raw, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      throw new InvalidBatchException(
          "it has a name that the schema of this member does not allow: " + e.getMessage(), e);
    }
  }

  private CsnVector vector() throws InvalidBatchException {
    List<Csn> csns = new ArrayList<>();
    for (int left = count(Csn.PACKED_BYTES); left > 0; left--) {
      csns.add(csn());
    }
    try {
      return new CsnVector(csns);
    } catch (IllegalArgumentException e) {
      throw new InvalidBatchException("its numbers are in no order", e);
    }
  }

  private Csn csn() throws InvalidBatchException {
    require(Csn.PACKED_BYTES);
    try {
      Csn csn = Csn.unpack(source, source.position());
      source.position(source.position() + Csn.PACKED_BYTES);
      return csn;
    } catch (IllegalArgumentException e) {
      throw new InvalidBatchException("it has a number that does not exist", e);
    }
  }

  private int octet() throws InvalidBatchException {
    require(1);
    return source.get();
  }

  private long number() throws InvalidBatchException {
    require(Long.BYTES);
    return source.getLong();
  }

  private String text() throws InvalidBatchException {
    return new String(value(), StandardCharsets.UTF_8);
  }

  private byte[] value() throws InvalidBatchException {
    byte[] value = new byte[count(1)];
    source.get(value);
    return value;
  }

  /** Reads a number of items, each of which has some bytes at least. */
  private int count(int leastBytes) throws InvalidBatchException {
    require(Integer.BYTES);
    int count = source.getInt();
    if (count < 0 || count > source.remaining() / leastBytes) {
      throw malformed();
    }
    return count;
  }

  private void require(int bytes) throws InvalidBatchException {
    if (source.remaining() < bytes) {
      throw malformed();
    }
  }

  private static InvalidBatchException malformed() {
    return new InvalidBatchException("it is malformed");
  }
}
