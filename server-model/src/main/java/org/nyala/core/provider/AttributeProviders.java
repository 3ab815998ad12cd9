package org.nyala.core.provider;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The table of all attributes: where the values of each come from, and what clients may do with it.
 * Whatever shows, tests, orders, indexes or follows attributes asks it.
 *
 * <p>Immutable.
 */
public final class AttributeProviders {
  /** The name of the entry that shows the schema. */
  public static final String SUBSCHEMA_DN = "cn=Subschema";

  /** The stored attribute from which the remaining time of a dynamic entry is computed. */
  public static final String EXPIRE_TIMESTAMP_OID = "1.3.6.1.4.1.4203.666.1.57";

  /** The sources of values. */
  public enum Kind {
    /** Entries of stores hold them. */
    STORED,
    /** Some entries hold them; those of others are computed. */
    COMPLETED,
    /** They are computed for each answer. */
    COMPUTED,
    /** Only the server's own entries have them. */
    VIRTUAL
  }

  /** The uses that clients and administrators make of attributes. */
  public enum Use {
    /** Sent for {@code *}. */
    SHOWN_BY_STAR,
    /** Sent for {@code +} (RFC 3673). */
    SHOWN_BY_PLUS,
    /** Tested by filters, whatever these ask. */
    FILTERED,
    /** Tested by filters that ask whether it is there. */
    FILTERED_BY_PRESENCE,
    /** Compared. */
    COMPARED,
    /** Tested by assertions of operations. */
    ASSERTED,
    /** A key of sorted results. */
    SORTED,
    /** Indexed in stores. */
    INDEXED,
    /** Followed by content synchronization. */
    FOLLOWED;

    /** The uses of computed attributes, but for exceptions. */
    static final Set<Use> LIKE_OTHERS =
        Collections.unmodifiableSet(
            EnumSet.of(SHOWN_BY_PLUS, FILTERED, FILTERED_BY_PRESENCE, COMPARED, ASSERTED));
  }

  /**
   * The declaration of an attribute.
   *
   * <p>Immutable.
   *
   * @param kind the source of the values
   * @param uses the uses
   * @param computed the computed attribute; null for others
   */
  public record Provider(Kind kind, Set<Use> uses, @Nullable ComputedAttribute computed) {
    public Provider {
      uses = Collections.unmodifiableSet(EnumSet.copyOf(uses));
    }

    /** Returns whether the attribute may be used so. */
    public boolean allows(Use use) {
      return uses.contains(use);
    }

    /** Returns whether values that entries of stores hold are shown. */
    public boolean isStoredShown() {
      return computed == null || !computed.isHiddenWhereStored();
    }
  }

  /**
   * A computed attribute of a schema.
   *
   * <p>Immutable, but for the name, which is never written to.
   *
   * @param attribute the attribute
   * @param description its description
   * @param name its name, as it is sent
   */
  public record Computed(
      ComputedAttribute attribute, AttributeDescription description, byte[] name) {
    /** Returns whether the values of some entries are stored. */
    public boolean isCompleted() {
      return attribute.isCompleted();
    }
  }

  private static final Provider USER = new Provider(Kind.STORED, storedUses(true), null);
  private static final Provider OPERATIONAL = new Provider(Kind.STORED, storedUses(false), null);
  private static final Provider VIRTUAL = new Provider(Kind.VIRTUAL, storedUses(false), null);

  /** The computed attributes by their identifiers, and by their names in lower case. */
  private static final Map<String, ComputedAttribute> BY_WORD = new HashMap<>();

  static {
    for (ComputedAttribute each : ComputedAttribute.values()) {
      BY_WORD.put(each.oid(), each);
      BY_WORD.put(each.label().toLowerCase(Locale.ROOT), each);
    }
  }

  private final Map<AttributeType, Provider> special;
  private final List<Computed> computed;

  private AttributeProviders(Map<AttributeType, Provider> special, List<Computed> computed) {
    this.special = Map.copyOf(special);
    this.computed = List.copyOf(computed);
  }

  private static Set<Use> storedUses(boolean isUser) {
    Set<Use> uses = EnumSet.allOf(Use.class);
    uses.remove(isUser ? Use.SHOWN_BY_PLUS : Use.SHOWN_BY_STAR);
    return uses;
  }

  /**
   * Makes the table.
   *
   * @param computesMemberships true if the groups of entries are computed; false if that attribute
   *     is stored like others
   * @param completesPolicies true if the policies of entries that name none are told
   */
  public static AttributeProviders of(
      Schema schema, boolean computesMemberships, boolean completesPolicies) {
    Map<AttributeType, Provider> special = new HashMap<>();
    List<Computed> computed = new ArrayList<>();
    for (ComputedAttribute each : ComputedAttribute.values()) {
      boolean isComputed =
          switch (each) {
            case MEMBER_OF -> computesMemberships;
            case PASSWORD_POLICY -> completesPolicies;
            default -> true;
          };
      AttributeType type = isComputed ? each.in(schema) : null;
      if (type != null) {
        Kind kind = each.isCompleted() ? Kind.COMPLETED : Kind.COMPUTED;
        special.put(type, new Provider(kind, each.uses(), each));
        boolean isAnywhere =
            each != ComputedAttribute.GOVERNING_STRUCTURE_RULE
                || !schema.structureRules().isEmpty();
        if (isAnywhere) {
          byte[] name = type.name().getBytes(StandardCharsets.UTF_8);
          computed.add(new Computed(each, AttributeDescription.of(type), name));
        }
      }
    }
    return new AttributeProviders(special, computed);
  }

  /** Returns the attribute that names the groups of entries; null if the schema lacks it. */
  public static @Nullable AttributeType memberships(Schema schema) {
    return ComputedAttribute.MEMBER_OF.in(schema);
  }

  /** Returns whether a type is the attribute that names the groups of entries. */
  public static boolean isOfMemberships(AttributeType type) {
    return ComputedAttribute.MEMBER_OF.is(type);
  }

  /**
   * Returns whether values tell of the entries directly below an entry: they take a right to these,
   * too.
   */
  public static boolean tellsOfChildren(AttributeType type) {
    ComputedAttribute known = BY_WORD.get(type.oid());
    return known != null && known.tellsOfChildren();
  }

  /** Returns whether the values of a type are the names of the entries themselves. */
  public static boolean isEntryName(AttributeType type) {
    return ComputedAttribute.ENTRY_DN.is(type);
  }

  /** Returns whether a name or identifier is that of the names of the entries themselves. */
  public static boolean isEntryName(String word) {
    return BY_WORD.get(word.toLowerCase(Locale.ROOT)) == ComputedAttribute.ENTRY_DN;
  }

  /** Returns whether values follow from an entry and its place, so that nobody writes them. */
  public static boolean isDerived(AttributeType type) {
    ComputedAttribute known = BY_WORD.get(type.oid());
    return known != null && known.isDerived();
  }

  /**
   * Returns whether every server computes an attribute, whether a schema has it or not.
   *
   * @param word the name or identifier of the attribute
   */
  public static boolean isOfEveryServer(String word) {
    ComputedAttribute known = BY_WORD.get(word.toLowerCase(Locale.ROOT));
    return known != null && known.isOfEveryServer();
  }

  /** Returns whether entries of stores, or some of them, hold the values of a type. */
  public boolean isStored(AttributeType type) {
    Kind kind = of(type).kind();
    return kind == Kind.STORED || kind == Kind.COMPLETED;
  }

  /** Returns the names, in lower case, of the attributes that servers compute of all entries. */
  public static Set<String> computedNames() {
    Set<String> names = new HashSet<>();
    for (ComputedAttribute each : ComputedAttribute.values()) {
      if (!each.isCompleted()) {
        names.add(each.label().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  public Provider of(AttributeType type) {
    Provider known = special.get(type);
    if (known != null) {
      return known;
    }
    return switch (type.usage()) {
      case USER_APPLICATIONS -> USER;
      case DSA_OPERATION -> VIRTUAL;
      case DIRECTORY_OPERATION, DISTRIBUTED_OPERATION -> OPERATIONAL;
    };
  }

  /** Returns the attributes that some entries have, computed or completed. */
  public List<Computed> computed() {
    return computed;
  }
}
