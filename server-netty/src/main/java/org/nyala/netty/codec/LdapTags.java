package org.nyala.netty.codec;

/** The BER tags of LDAP (RFC 4511, appendix B). */
public final class LdapTags {
  /** Stands for no tag. */
  public static final int NONE = 0;

  public static final int BOOLEAN = 0x01;
  public static final int INTEGER = 0x02;
  public static final int OCTET_STRING = 0x04;
  public static final int ENUMERATED = 0x0a;
  public static final int SEQUENCE = 0x30;
  public static final int SET = 0x31;

  public static final int BIND_REQUEST = 0x60;
  static final int BIND_RESPONSE = 0x61;
  public static final int UNBIND_REQUEST = 0x42;
  public static final int SEARCH_REQUEST = 0x63;
  public static final int SEARCH_RESULT_ENTRY = 0x64;
  public static final int SEARCH_RESULT_DONE = 0x65;
  static final int MODIFY_REQUEST = 0x66;
  static final int MODIFY_RESPONSE = 0x67;
  static final int ADD_REQUEST = 0x68;
  static final int ADD_RESPONSE = 0x69;
  static final int DELETE_REQUEST = 0x4a;
  static final int DELETE_RESPONSE = 0x6b;
  static final int MODIFY_DN_REQUEST = 0x6c;
  static final int MODIFY_DN_RESPONSE = 0x6d;
  static final int COMPARE_REQUEST = 0x6e;
  static final int COMPARE_RESPONSE = 0x6f;
  public static final int ABANDON_REQUEST = 0x50;
  static final int SEARCH_RESULT_REFERENCE = 0x73;
  static final int EXTENDED_REQUEST = 0x77;
  static final int EXTENDED_RESPONSE = 0x78;

  static final int INTERMEDIATE_RESPONSE = 0x79;

  static final int CONTROLS = 0xa0;
  static final int REFERRAL = 0xa3;
  static final int SERVER_SASL_CREDENTIALS = 0x87;
  static final int RESPONSE_NAME = 0x8a;
  static final int RESPONSE_VALUE = 0x8b;
  static final int INTERMEDIATE_NAME = 0x80;
  static final int INTERMEDIATE_VALUE = 0x81;

  private LdapTags() {}

  /** Returns whether a protocolOp of this tag is a request. */
  static boolean isRequest(int tag) {
    return tag == UNBIND_REQUEST || tag == ABANDON_REQUEST || responseTo(tag) != NONE;
  }

  /** Returns the tag of the response that ends a request, or {@link #NONE} if there is none. */
  public static int responseTo(int requestTag) {
    return switch (requestTag) {
      case BIND_REQUEST -> BIND_RESPONSE;
      case SEARCH_REQUEST -> SEARCH_RESULT_DONE;
      case MODIFY_REQUEST -> MODIFY_RESPONSE;
      case ADD_REQUEST -> ADD_RESPONSE;
      case DELETE_REQUEST -> DELETE_RESPONSE;
      case MODIFY_DN_REQUEST -> MODIFY_DN_RESPONSE;
      case COMPARE_REQUEST -> COMPARE_RESPONSE;
      case EXTENDED_REQUEST -> EXTENDED_RESPONSE;
      default -> NONE;
    };
  }
}
