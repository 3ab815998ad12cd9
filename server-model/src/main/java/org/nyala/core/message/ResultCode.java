package org.nyala.core.message;

import java.util.Locale;

/**
 * Result codes (RFC 4511, section 4.1.9 and appendix A; RFC 3909; RFC 4528; RFC 4370; RFC 4533;
 * draft-zeilenga-ldap-noop, with OpenLDAP's number).
 */
public enum ResultCode {
  /** Done. */
  SUCCESS(0),
  /** Out of sequence, or the like. */
  OPERATIONS_ERROR(1),
  /** The request breaks the protocol. */
  PROTOCOL_ERROR(2),
  /** The time limit passed. */
  TIME_LIMIT_EXCEEDED(3),
  /** The size limit passed. */
  SIZE_LIMIT_EXCEEDED(4),
  /** Compare: no. */
  COMPARE_FALSE(5),
  /** Compare: yes. */
  COMPARE_TRUE(6),
  /** The authentication method is not offered. */
  AUTH_METHOD_NOT_SUPPORTED(7),
  /** Stronger authentication is needed. */
  STRONGER_AUTH_REQUIRED(8),
  /** Look elsewhere. */
  REFERRAL(10),
  /** An administrative limit passed. */
  ADMIN_LIMIT_EXCEEDED(11),
  /** A critical control is not known or not apt. */
  UNAVAILABLE_CRITICAL_EXTENSION(12),
  /** Only over a protected connection. */
  CONFIDENTIALITY_REQUIRED(13),
  /** SASL goes on. */
  SASL_BIND_IN_PROGRESS(14),
  /** No such attribute or value. */
  NO_SUCH_ATTRIBUTE(16),
  /** The attribute type is not known. */
  UNDEFINED_ATTRIBUTE_TYPE(17),
  /** The matching rule does not suit. */
  INAPPROPRIATE_MATCHING(18),
  /** A constraint is violated. */
  CONSTRAINT_VIOLATION(19),
  /** The value is there already. */
  ATTRIBUTE_OR_VALUE_EXISTS(20),
  /** The value is not valid for the syntax. */
  INVALID_ATTRIBUTE_SYNTAX(21),
  /** The entry does not exist. */
  NO_SUCH_OBJECT(32),
  /** An alias leads nowhere. */
  ALIAS_PROBLEM(33),
  /** The DN is not valid. */
  INVALID_DN_SYNTAX(34),
  /** An alias may not be followed. */
  ALIAS_DEREFERENCING_PROBLEM(36),
  /** The credentials are not apt for the entry. */
  INAPPROPRIATE_AUTHENTICATION(48),
  /** Wrong name or password. */
  INVALID_CREDENTIALS(49),
  /** Access is denied. */
  INSUFFICIENT_ACCESS_RIGHTS(50),
  /** Too much to do. */
  BUSY(51),
  /** Not working now. */
  UNAVAILABLE(52),
  /** The server does not want to. */
  UNWILLING_TO_PERFORM(53),
  /** Aliases or referrals form a loop. */
  LOOP_DETECT(54),
  /** A list view needs a sort order (draft-ietf-ldapext-ldapv3-vlv-09). */
  SORT_CONTROL_MISSING(60),
  /** No such place in the list (draft-ietf-ldapext-ldapv3-vlv-09). */
  OFFSET_RANGE_ERROR(61),
  /** The name does not fit. */
  NAMING_VIOLATION(64),
  /** The entry breaks its object classes. */
  OBJECT_CLASS_VIOLATION(65),
  /** The entry has subordinates. */
  NOT_ALLOWED_ON_NON_LEAF(66),
  /** The value is part of the RDN. */
  NOT_ALLOWED_ON_RDN(67),
  /** The entry exists. */
  ENTRY_ALREADY_EXISTS(68),
  /** The object classes may not be changed so. */
  OBJECT_CLASS_MODS_PROHIBITED(69),
  /** The operation reaches into another server. */
  AFFECTS_MULTIPLE_DSAS(71),
  /** The list view cannot be had (draft-ietf-ldapext-ldapv3-vlv-09). */
  VIRTUAL_LIST_VIEW_ERROR(76),
  /** Everything else. */
  OTHER(80),
  /** Canceled (RFC 3909). */
  CANCELED(118),
  /** No such operation (RFC 3909). */
  NO_SUCH_OPERATION(119),
  /** Too late to cancel (RFC 3909). */
  TOO_LATE(120),
  /** Cannot be canceled (RFC 3909). */
  CANNOT_CANCEL(121),
  /** The assertion is false (RFC 4528). */
  ASSERTION_FAILED(122),
  /** The proxied identity may not be taken (RFC 4370). */
  AUTHORIZATION_DENIED(123),
  /** The copy has to be refreshed (RFC 4533). */
  SYNC_REFRESH_REQUIRED(4096),
  /** Everything would have gone well, and nothing was changed, as asked for. */
  NO_OPERATION(0x410e);

  private final int code;
  private final String label;

  ResultCode(int code) {
    this.code = code;
    StringBuilder name = new StringBuilder();
    for (String word : name().toLowerCase(Locale.ROOT).split("_", -1)) {
      name.append(name.isEmpty() ? word : capitalised(word));
    }
    this.label = name.toString();
  }

  private static String capitalised(String word) {
    return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }

  /** The name as RFC 4511 writes it, such as {@code noSuchObject}. */
  public String label() {
    return label;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
