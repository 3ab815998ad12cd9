package org.nyala.core.entry;

/**
 * The layout of a stored entry. The stored form is the wire form: an attribute is kept as the BER
 * {@code PartialAttribute} (RFC 4511, section 4.1.7) that a search result carries, so that sending
 * it is one copy.
 *
 * <pre>
 *   0  u8   layout version, 1
 *   1  u8   flags: what the entry is to a search
 *   2  u16  number of user attributes (u)
 *   4  u16  number of operational attributes (o)
 *   6  u16  length of the RDN (r)
 *   8  u64  entry id of the parent; 0 for an entry at the top of a naming context
 *  16  u32  length of the attribute area (a)
 *  20  (u + o) × { u16 attribute number, u32 end offset in the attribute area }
 *      r bytes  the RDN as presented; the whole DN for an entry at the top of a naming context
 *      a bytes  u PartialAttributes, then o PartialAttributes, back to back
 * </pre>
 *
 * <p>All numbers are big-endian. User attributes that access rules hide from everybody stand last
 * among the user attributes, so that what remains is one run of bytes.
 */
public final class EntryRecord {
  /** The version that this class describes. */
  public static final int VERSION = 1;

  /** Flag: the entry is a referral object (RFC 3296). */
  public static final int REFERRAL = 1;

  /** Flag: the entry is an alias (RFC 4512, section 2.6). */
  public static final int ALIAS = 2;

  /** Flag: the entry is a subentry (RFC 3672). */
  public static final int SUBENTRY = 4;

  /**
   * Flag: the values of some attributes are kept apart, because there are very many. In the record
   * such an attribute has an empty set of values, which no other attribute has.
   */
  public static final int LARGE = 8;

  /** Length in bytes of the fixed part. */
  public static final int HEADER_LENGTH = 20;

  /** Length in bytes of one attribute's place in the directory. */
  public static final int DIRECTORY_ENTRY_LENGTH = 6;

  static final int FLAGS_AT = 1;
  static final int USER_COUNT_AT = 2;
  static final int OPERATIONAL_COUNT_AT = 4;
  static final int RDN_LENGTH_AT = 6;

  /** The offset of the parent id in the record. */
  public static final int PARENT_ID_AT = 8;

  static final int AREA_LENGTH_AT = 16;

  private EntryRecord() {}
}
