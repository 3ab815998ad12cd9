package org.nyala.core.control;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The request controls that the server knows, each with whether it takes a value. */
public enum ControlType {
  /** Treat referral objects like other entries (RFC 3296, section 3). */
  MANAGE_DSA_IT("2.16.840.1.113730.3.4.2", Value.NONE),
  /** Return subentries, or everything else (RFC 3672). */
  SUBENTRIES("1.3.6.1.4.1.4203.1.10.1", Value.NEEDED),
  /** Simple paged results (RFC 2696). */
  PAGED_RESULTS("1.2.840.113556.1.4.319", Value.NEEDED),
  /** Server-side sorting (RFC 2891). */
  SORT("1.2.840.113556.1.4.473", Value.NEEDED),
  /** Virtual list views (draft-ietf-ldapext-ldapv3-vlv). */
  VIRTUAL_LIST_VIEW("2.16.840.1.113730.3.4.9", Value.NEEDED),
  /** Only if a filter matches (RFC 4528). */
  ASSERTION("1.3.6.1.1.12", Value.NEEDED),
  /** The entry as it was before (RFC 4527, section 3.1). */
  PRE_READ("1.3.6.1.1.13.1", Value.NEEDED),
  /** The entry as it is afterwards (RFC 4527, section 3.2). */
  POST_READ("1.3.6.1.1.13.2", Value.NEEDED),
  /** Return only values that match (RFC 3876). */
  MATCHED_VALUES("1.2.826.0.1.3344810.2.3", Value.NEEDED),
  /** Act on behalf of another identity (RFC 4370). */
  PROXIED_AUTHORIZATION("2.16.840.1.113730.3.4.18", Value.NEEDED),
  /** Tell the authorization identity with the bind (RFC 3829). */
  AUTHORIZATION_IDENTITY("2.16.840.1.113730.3.4.16", Value.NONE),
  /** Do not answer from a copy (RFC 6171). */
  DONT_USE_COPY("1.3.6.1.1.22", Value.NONE),
  /** Delete the entry with all below it (draft-armijo-ldap-treedelete). */
  TREE_DELETE("1.2.840.113556.1.4.805", Value.NONE),
  /** Accept adding existing values and deleting missing ones. */
  PERMISSIVE_MODIFY("1.2.840.113556.1.4.1413", Value.NONE),
  /** Do everything but the change itself (draft-zeilenga-ldap-noop), by both its identifiers. */
  NO_OP("1.3.6.1.4.1.4203.666.5.2", Value.NONE, "1.3.6.1.4.1.4203.1.10.2"),
  /** Let some rules of the data model rest (draft-zeilenga-ldap-relax). */
  RELAX_RULES("1.3.6.1.4.1.4203.666.5.12", Value.NONE),
  /** Part of a transaction (RFC 5805). */
  TRANSACTION("1.3.6.1.1.21.2", Value.NEEDED),
  /** Go on returning what changes (draft-ietf-ldapext-psearch). */
  PERSISTENT_SEARCH("2.16.840.1.113730.3.4.3", Value.NEEDED),
  /** Keep a copy of the content up to date (RFC 4533). */
  SYNC_REQUEST("1.3.6.1.4.1.4203.1.9.1.1", Value.NEEDED),
  /** Tell how a search is carried out, in the place of its entries; Nyala's own. */
  EXPLAIN("2.25.255841831655906417978202072494760795204", Value.NONE),
  /** Tell the rights to each entry (draft-ietf-ldapext-acl-model, as 389 Directory Server does). */
  EFFECTIVE_RIGHTS("1.3.6.1.4.1.42.2.27.9.5.2", Value.POSSIBLE),
  /** Tell about the password policy (draft-behera-ldap-password-policy). */
  PASSWORD_POLICY("1.3.6.1.4.1.42.2.27.8.5.1", Value.NONE),
  /** Tell with each entry if its account can be used (as Sun's directories do). */
  ACCOUNT_USABILITY("1.3.6.1.4.1.42.2.27.9.5.8", Value.NONE),
  /** Return attributes of the entries that values name (draft-masarati-ldap-deref). */
  DEREFERENCE("1.3.6.1.4.1.4203.666.5.16", Value.NEEDED),
  /** The user behind the client, for the log (draft-wahl-ldap-session). */
  SESSION_TRACKING("1.3.6.1.4.1.21008.108.63.1", Value.NEEDED);

  /** The presence of a value in a control. */
  enum Value {
    NONE,
    NEEDED,
    POSSIBLE
  }

  private static final Map<String, ControlType> BY_OID = byOid();

  private final String oid;
  private final Value value;
  private final String otherOid;

  ControlType(String oid, Value value) {
    this(oid, value, "");
  }

  ControlType(String oid, Value value, String otherOid) {
    this.oid = oid;
    this.value = value;
    this.otherOid = otherOid;
  }

  private static Map<String, ControlType> byOid() {
    Map<String, ControlType> types = new HashMap<>();
    for (ControlType type : values()) {
      type.oids().forEach(oid -> types.put(oid, type));
    }
    return types;
  }

  /** The control of an object identifier, or null. */
  static @Nullable ControlType of(String oid) {
    return BY_OID.get(oid);
  }

  /** The object identifier of the request control. */
  public String oid() {
    return oid;
  }

  /** All its object identifiers. */
  public List<String> oids() {
    return otherOid.isEmpty() ? List.of(oid) : List.of(oid, otherOid);
  }

  /** A name for people, such as {@code tree delete}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  Value value() {
    return value;
  }
}
