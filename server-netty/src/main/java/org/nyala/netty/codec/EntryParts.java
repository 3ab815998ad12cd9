package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;

/**
 * Writes one SearchResultEntry message in parts: the same bytes as {@link EntryEncoder}, into a
 * buffer of its own.
 *
 * <p>Confined to one running operation.
 */
public final class EntryParts {
  private final int messageId;
  private final List<byte[]> computed;
  private final byte[] controls;
  private final boolean[] selected;
  private final int end;
  private final int attributesLength;
  private final int octets;
  private @Nullable LargeAttributes attributes;

  /**
   * Begins a message with values.
   *
   * @param controls the controls of the message, as {@link ControlEncoder} makes them
   */
  public EntryParts(
      int messageId,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      byte[] controls) {
    this.messageId = messageId;
    this.computed = List.copyOf(computed);
    this.controls = controls;
    this.selected = selection.selected(table);
    this.end = EntryEncoder.end(entry, selection);
    this.attributesLength =
        Math.addExact(
            LargeAttributes.length(entry, selected, end), EntryEncoder.computedLength(computed));
    this.octets = EntryEncoder.total(messageId, entry, attributesLength, controls.length);
  }

  /** Returns the length of the message in bytes. */
  public int octets() {
    return octets;
  }

  /**
   * Writes as far as the slice goes.
   *
   * @param target the same buffer in each slice, for this message only; its content is complete
   *     when this returns true
   * @param entry the same entry in each slice, unchanged
   * @return false if the slice ends before: another call goes on
   */
  public boolean write(ByteBuf target, EntryView entry, Pace pace) {
    target.ensureWritable(octets);
    ByteBuffer out = target.internalNioBuffer(0, octets);
    int base = out.position();
    LargeAttributes going = attributes;
    if (going == null) {
      int first = EntryEncoder.head(out, base, messageId, entry, attributesLength, controls.length);
      going = new LargeAttributes(first - base, selected, end);
      attributes = going;
    }
    if (!going.write(out, base, entry, pace)) {
      return false;
    }
    int at = EntryEncoder.computed(out, base + going.at(), computed);
    out.put(at, controls);
    if (at + controls.length - base != octets) {
      throw new IllegalStateException("an entry has changed while it was written");
    }
    target.writerIndex(octets);
    return true;
  }
}
