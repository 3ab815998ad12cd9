package org.nyala.core.operation.update;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.values.ComputedValues;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.operation.values.PartialAttributes;
import org.nyala.core.rights.EntryRights;

/** Encodes entries for the values of controls, as RFC 4527 returns them. */
final class ReadEntryEncoder {
  private static final int SEARCH_RESULT_ENTRY = 0x64;

  /**
   * The most bytes of attributes that are returned of one entry, some 60,000 members: encoding them
   * holds up all other updates, and the answers of a whole commit are in memory until it is on
   * disk. A search returns more.
   */
  private static final long MAXIMUM_OCTETS = 4L << 20;

  /** The limit of checks while the groups of an entry are found, which hold up others, too. */
  private static final int LOOKS = 100_000;

  private ReadEntryEncoder() {}

  /**
   * Returns a {@code SearchResultEntry} (RFC 4511, section 4.5.2) of the selected attributes of an
   * entry.
   *
   * @param selection the attributes, with their values
   * @param manageDsaIt true if what completes stored values is not shown as if it were stored
   * @param rights the rights of the client by access rules; null if they do not decide
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups
   */
  static byte[] of(
      OperationContext directory,
      ReadTransaction transaction,
      EntryView view,
      AttributeSelection selection,
      boolean manageDsaIt,
      @Nullable EntryRights rights)
      throws LdapOperationException {
    AttributeTable table = transaction.attributes();
    BerWriter attributes = new BerWriter();
    for (int i = 0; i < view.attributeCount(); i++) {
      if (selection.selects(table, view.attributeId(i))) {
        attributes.raw(attribute(transaction, view, i));
      }
    }
    // The end of the pace refuses the entry: there is always an answer.
    GroupNames groups = new GroupNames(directory, null, Pace.ofLooks(LOOKS));
    List<byte[]> computed =
        ComputedValues.of(groups, selection, manageDsaIt, rights, transaction, view);
    for (byte[] each : Objects.requireNonNull(computed)) {
      attributes.raw(each);
    }
    BerWriter entry = new BerWriter().octets(view.dn()).sequence(attributes);
    return new BerWriter().constructed(SEARCH_RESULT_ENTRY, entry).toByteArray();
  }

  /**
   * Returns the approximate length in bytes of the selected stored attributes of an entry, before
   * it is encoded, and without reading the values.
   *
   * @throws LdapOperationException adminLimitExceeded if it is more than {@value #MAXIMUM_OCTETS}
   */
  static long requireReturnable(
      ReadTransaction transaction, EntryView view, AttributeSelection selection)
      throws LdapOperationException {
    long octets = storedOctets(transaction, view, selection);
    if (octets > MAXIMUM_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + MAXIMUM_OCTETS + " bytes of the entry to be returned");
    }
    return octets;
  }

  private static long storedOctets(
      ReadTransaction transaction, EntryView view, AttributeSelection selection) {
    long octets = 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      if (selection.selects(transaction.attributes(), view.attributeId(i))) {
        LargeValues large = view.largeValues(i);
        octets += large == null ? view.attributeEnd(i) - view.attributeStart(i) : large.octets();
      }
    }
    return octets;
  }

  private static byte[] attribute(ReadTransaction transaction, EntryView view, int index) {
    LargeValues large = view.largeValues(index);
    if (large != null) {
      int id = view.attributeId(index);
      return PartialAttributes.encode(
          transaction.attributes().description(id).nameBytes(), all(large));
    }
    ByteBuffer source = view.buffer();
    byte[] attribute = new byte[view.attributeEnd(index) - view.attributeStart(index)];
    source.get(view.attributeStart(index), attribute);
    return attribute;
  }

  private static List<byte[]> all(LargeValues large) {
    List<byte[]> values = new ArrayList<>();
    large.rewind();
    while (large.next()) {
      values.add(large.value());
    }
    return values;
  }
}
