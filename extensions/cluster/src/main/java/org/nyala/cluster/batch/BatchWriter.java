package org.nyala.cluster.batch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The writer of entries: each call is written when it is made. The form is that of {@link
 * BatchForm}.
 *
 * <p>Confined to the writer's thread of a store.
 */
public final class BatchWriter {
  private static final int USUAL_BYTES = 4096;

  private final byte[] packed = new byte[Csn.PACKED_BYTES];
  private ByteAppender target = new ByteAppender(USUAL_BYTES);
  private int headBytes;
  private Dn author = Dn.EMPTY;

  /**
   * A place in a batch, to return to.
   *
   * <p>Immutable.
   */
  public static final class Place {
    private final int length;
    private final Dn author;

    private Place(int length, Dn author) {
      this.length = length;
      this.author = author;
    }
  }

  /** Begins a batch, in another array than those before. */
  public void begin(BatchId id, Before before) {
    target = new ByteAppender(USUAL_BYTES);
    target.append(BatchForm.VERSION).appendLong(id.high()).appendLong(id.low());
    target.append(HexFormat.of().parseHex(before.chain())).appendLong(before.nextEntryId());
    vector(before.csns());
    headBytes = target.length();
    author = Dn.EMPTY;
  }

  /** Returns whether no call was written. */
  public boolean isEmpty() {
    return target.length() == headBytes;
  }

  /** Returns the number of bytes that the entry would have now. */
  public int bytes() {
    return target.length() + BatchForm.SUM_BYTES;
  }

  /** Returns the present end. */
  public Place place() {
    return new Place(target.length(), author);
  }

  /** Forgets the calls after a place. */
  public void undo(Place place) {
    target.truncate(place.length);
    author = place.author;
  }

  /**
   * Ends the batch.
   *
   * @return the entry, from position to limit; nothing writes to it later
   */
  public ByteBuffer finish() {
    CRC32C sum = new CRC32C();
    sum.update(target.array(), 0, target.length());
    target.appendInt((int) sum.getValue());
    return ByteBuffer.wrap(target.array(), 0, target.length()).asReadOnlyBuffer();
  }

  /** Writes a change; see {@link RecordedCall.Applied}. */
  public void applied(ResolvedChange change, @Nullable Csn csn, long entryId) {
    switch (change) {
      case ResolvedChange.Add add -> {
        target.append(BatchForm.ADD);
        entry(add.entry());
      }
      case ResolvedChange.Modify modify -> {
        target.append(BatchForm.MODIFY);
        name(modify.dn()).appendLong(modify.entryId());
        changes(modify.changes());
      }
      case ResolvedChange.Rename rename -> {
        target.append(BatchForm.RENAME);
        name(rename.dn()).appendLong(rename.entryId());
        name(rename.newDn());
        changes(rename.changes());
      }
      case ResolvedChange.Delete delete -> {
        target.append(BatchForm.DELETE);
        name(delete.dn()).appendLong(delete.entryId());
      }
    }
    target.append(csn == null ? 0 : 1);
    if (csn != null) {
      number(csn);
    }
    target.appendLong(entryId);
  }

  /** Writes the author of the changes that follow, unless it is the one already. */
  public void author(Dn name) {
    if (!name.equals(author)) {
      author = name;
      call(BatchForm.AUTHOR, name);
    }
  }

  /** Writes a number of a naming context; see {@link RecordedCall.Numbered}. */
  public void numbered(Dn name, Csn csn) {
    call(BatchForm.NUMBER, name);
    number(csn);
  }

  /** Writes numbers of a naming context; see {@link RecordedCall.Raised}. */
  public void raised(Dn name, CsnVector csns) {
    call(BatchForm.RAISE, name);
    vector(csns);
  }

  /** Writes the only numbers of a naming context; see {@link RecordedCall.Replaced}. */
  public void replaced(Dn name, CsnVector csns) {
    call(BatchForm.REPLACE, name);
    vector(csns);
  }

  /** Writes the note that a naming context became writable, or a copy again. */
  public void promoted(Dn suffix, Object promotion) {
    note(BatchForm.PROMOTION, suffix, promotion);
  }

  /** Writes another history of a naming context. */
  public void continued(Dn suffix, Object history) {
    note(BatchForm.HISTORY, suffix, history);
  }

  /** Writes the source of a naming context that is a copy. */
  public void sourced(Dn suffix, Object source) {
    note(BatchForm.SOURCE, suffix, source);
  }

  /** Writes the epochs of a naming context. */
  public void epochs(Dn suffix, Object epochs) {
    note(BatchForm.EPOCHS, suffix, epochs);
  }

  private void note(int kind, Dn suffix, Object note) {
    call(kind, suffix);
    text(note.toString());
  }

  /** Writes the definitions beside those of the schema's files. */
  public void defined(ExtendedSchema schema) {
    target.append(BatchForm.SCHEMA).appendInt(schema.additions().size());
    for (ExtendedSchema.Addition addition : schema.additions()) {
      text(addition.kind().name());
      text(addition.text());
    }
  }

  private void call(int kind, Dn name) {
    target.append(kind);
    name(name);
  }

  private void entry(Entry entry) {
    name(entry.dn()).appendInt(entry.descriptions().size());
    for (AttributeDescription description : entry.descriptions()) {
      text(description.name());
      List<byte[]> values = entry.values(description);
      values(values == null ? List.of() : values);
    }
  }

  private void changes(List<AttributeChange> changes) {
    target.appendInt(changes.size());
    for (AttributeChange change : changes) {
      switch (change) {
        case AttributeChange.Replaced replaced -> {
          target.append(BatchForm.REPLACED);
          text(replaced.description().name());
          values(replaced.values());
        }
        case AttributeChange.Updated updated -> {
          target.append(BatchForm.UPDATED);
          text(updated.description().name());
          values(updated.removed());
          values(updated.added());
        }
      }
    }
  }

  private void values(List<byte[]> values) {
    target.appendInt(values.size());
    values.forEach(this::value);
  }

  private ByteAppender name(Dn name) {
    return value(name.raw());
  }

  private void text(String text) {
    value(text.getBytes(StandardCharsets.UTF_8));
  }

  private ByteAppender value(byte[] value) {
    return target.appendInt(value.length).append(value);
  }

  private void vector(CsnVector vector) {
    target.appendInt(vector.csns().size());
    vector.csns().forEach(this::number);
  }

  private void number(Csn csn) {
    csn.pack(ByteBuffer.wrap(packed));
    target.append(packed);
  }
}
