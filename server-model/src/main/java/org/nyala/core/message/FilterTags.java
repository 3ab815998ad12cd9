package org.nyala.core.message;

/** The BER tags of filters and of their parts (RFC 4511, section 4.5.1). */
public final class FilterTags {
  public static final int AND = 0xa0;
  public static final int OR = 0xa1;
  public static final int NOT = 0xa2;
  public static final int EQUALITY = 0xa3;
  public static final int SUBSTRINGS = 0xa4;
  public static final int GREATER_OR_EQUAL = 0xa5;
  public static final int LESS_OR_EQUAL = 0xa6;
  public static final int PRESENT = 0x87;
  public static final int APPROXIMATE = 0xa8;
  public static final int EXTENSIBLE = 0xa9;

  /** The first piece of a substrings filter. */
  public static final int INITIAL = 0x80;

  /** A piece of a substrings filter between others. */
  public static final int ANY = 0x81;

  /** The last piece of a substrings filter. */
  public static final int FINAL = 0x82;

  /** The matching rule of an extensible filter. */
  public static final int RULE = 0x81;

  /** The attribute of an extensible filter. */
  public static final int TYPE = 0x82;

  /** The value of an extensible filter. */
  public static final int VALUE = 0x83;

  /** The flag of an extensible filter which says that attributes of the name count. */
  public static final int DN_ATTRIBUTES = 0x84;

  private FilterTags() {}
}
