package org.nyala.core.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The combined requirements of the object classes of an entry, and the DIT content rule of its
 * structural class (RFC 4512, sections 2.4 and 4.1.6).
 *
 * <p>Immutable. {@link Schema#classSet} makes one for each distinct list of classes.
 */
public final class ClassSet {
  private static final int MAXIMUM_SHOWN = 64;
  private static final String COLLECTIVE_SUBENTRY = "2.5.17.2";
  private static final String REFERRAL = "2.16.840.1.113730.3.2.6";
  private static final String REF = "2.16.840.1.113730.3.1.34";

  private final Set<ObjectClass> classes;
  private final Set<AttributeType> must;
  private final Set<AttributeType> allowed;
  private final Set<AttributeType> precluded;
  private final @Nullable ObjectClass structural;
  private final @Nullable DitContentRule contentRule;
  private final String violation;
  private final String obsoletion;
  private final boolean isExtensible;

  private ClassSet(String violation) {
    classes = Set.of();
    must = Set.of();
    allowed = Set.of();
    precluded = Set.of();
    structural = null;
    contentRule = null;
    this.violation = violation;
    obsoletion = "";
    isExtensible = false;
  }

  private ClassSet(Schema schema, Set<ObjectClass> named, Set<ObjectClass> withSuperiors) {
    classes = Set.copyOf(withSuperiors);
    List<ObjectClass> chainEnds = structuralChainEnds(withSuperiors);
    structural = chainEnds.size() == 1 ? chainEnds.getFirst() : null;
    contentRule = structural == null ? null : schema.contentRule(structural);
    Set<AttributeType> required = new HashSet<>();
    Set<AttributeType> optional = new HashSet<>();
    boolean extensible = false;
    for (ObjectClass objectClass : withSuperiors) {
      required.addAll(objectClass.must());
      optional.addAll(objectClass.may());
      extensible |= objectClass.oid().equals("1.3.6.1.4.1.1466.101.120.111");
    }
    if (contentRule != null) {
      required.addAll(contentRule.must());
      optional.addAll(contentRule.may());
    }
    optional.addAll(required);
    must = Set.copyOf(required);
    allowed = Set.copyOf(optional);
    precluded = contentRule == null ? Set.of() : contentRule.not();
    isExtensible = extensible;
    violation = violation(chainEnds, withSuperiors, contentRule);
    obsoletion = obsoletion(named, structural, contentRule);
  }

  /** Resolves the given values of {@code objectClass}. */
  static ClassSet of(Schema schema, List<String> names) {
    Set<ObjectClass> named = new LinkedHashSet<>();
    Set<ObjectClass> withSuperiors = new LinkedHashSet<>();
    for (String name : names) {
      ObjectClass objectClass = schema.objectClass(name);
      if (objectClass == null) {
        String shown =
            name.length() <= MAXIMUM_SHOWN ? name : name.substring(0, MAXIMUM_SHOWN) + "...";
        return new ClassSet("unknown object class '" + shown + "'");
      }
      named.add(objectClass);
      addWithSuperiors(objectClass, withSuperiors);
    }
    return new ClassSet(schema, named, withSuperiors);
  }

  private static void addWithSuperiors(ObjectClass objectClass, Set<ObjectClass> classes) {
    if (classes.add(objectClass)) {
      objectClass.superiors().forEach(superior -> addWithSuperiors(superior, classes));
    }
  }

  /* The structural classes that no other structural class of the set extends. */
  private static List<ObjectClass> structuralChainEnds(Set<ObjectClass> classes) {
    List<ObjectClass> ends = new ArrayList<>();
    for (ObjectClass objectClass : classes) {
      if (objectClass.kind() == ObjectClass.Kind.STRUCTURAL && !isExtended(objectClass, classes)) {
        ends.add(objectClass);
      }
    }
    return ends;
  }

  private static boolean isExtended(ObjectClass objectClass, Set<ObjectClass> classes) {
    for (ObjectClass other : classes) {
      boolean extended =
          other.kind() == ObjectClass.Kind.STRUCTURAL
              && !other.equals(objectClass)
              && other.isOrExtends(objectClass);
      if (extended) {
        return true;
      }
    }
    return false;
  }

  private static String violation(
      List<ObjectClass> chainEnds, Set<ObjectClass> classes, @Nullable DitContentRule contentRule) {
    return switch (chainEnds.size()) {
      case 0 -> "no structural object class";
      case 1 -> violation(classes, contentRule);
      default ->
          "object classes '"
              + chainEnds.get(0).name()
              + "' and '"
              + chainEnds.get(1).name()
              + "' are structural and neither extends the other";
    };
  }

  private static String violation(Set<ObjectClass> classes, @Nullable DitContentRule contentRule) {
    for (ObjectClass objectClass : classes) {
      if (objectClass.kind() == ObjectClass.Kind.ABSTRACT && isOrphan(objectClass, classes)) {
        return "no class of the entry extends the abstract object class '"
            + objectClass.name()
            + "'";
      }
    }
    return contentRule == null ? "" : violation(contentRule, classes);
  }

  private static String violation(DitContentRule contentRule, Set<ObjectClass> classes) {
    for (ObjectClass objectClass : classes) {
      if (objectClass.kind() == ObjectClass.Kind.AUXILIARY && !contentRule.allows(objectClass)) {
        return "object class '"
            + objectClass.name()
            + "' is not allowed by the content rule '"
            + contentRule.name()
            + "'";
      }
    }
    return "";
  }

  /* Every entry is a top, whether its classes list it or not. */
  private static boolean isOrphan(ObjectClass objectClass, Set<ObjectClass> classes) {
    if (objectClass.oid().equals("2.5.6.0")) {
      return false;
    }
    for (ObjectClass other : classes) {
      if (other.kind() != ObjectClass.Kind.ABSTRACT && other.isOrExtends(objectClass)) {
        return false;
      }
    }
    return true;
  }

  private static String obsoletion(
      Set<ObjectClass> named,
      @Nullable ObjectClass structural,
      @Nullable DitContentRule contentRule) {
    for (ObjectClass objectClass : named) {
      if (objectClass.obsolete()) {
        return "object class '" + objectClass.name() + "' is obsolete";
      }
    }
    if (structural != null && structural.obsolete()) {
      return "object class '" + structural.name() + "' is obsolete";
    }
    return contentRule != null && contentRule.obsolete()
        ? "content rule '" + contentRule.name() + "' is obsolete"
        : "";
  }

  /**
   * Returns a description of the fault in the classes themselves; empty if an entry may have them.
   */
  public String violation() {
    return violation;
  }

  /**
   * Returns a description of a class or content rule of the entry that should no longer be used;
   * empty if there is none.
   */
  public String obsoletion() {
    return obsoletion;
  }

  /** The classes with all that they extend. */
  public Set<ObjectClass> classes() {
    return classes;
  }

  /** The attributes that the entry must have. */
  public Set<AttributeType> must() {
    return must;
  }

  /**
   * Returns whether an entry of these classes may have the attribute; operational ones always,
   * except those that the content rule precludes.
   */
  public boolean allows(AttributeType type) {
    return (isExtensible || allowed.contains(type) || type.isOperational())
        && !precluded.contains(type);
  }

  /**
   * Returns the reason why no entry of these classes has the attribute; null if one may. Collective
   * attributes stand only in collective attribute subentries (RFC 3671, section 2), and {@code ref}
   * only in referrals (RFC 3296, section 2).
   */
  public @Nullable String refusal(AttributeType type) {
    boolean isCollective = type.flags().collective();
    if (isCollective && !has(COLLECTIVE_SUBENTRY)) {
      return "the collective attribute " + type + " stands only in collective attribute subentries";
    }
    if (!allows(type) && !isCollective) {
      return "the attribute " + type + " is not allowed by " + forbidding(type);
    }
    return type.oid().equals(REF) && !has(REFERRAL)
        ? "the attribute ref stands only in referrals"
        : null;
  }

  private String forbidding(AttributeType type) {
    return contentRule != null && precluded.contains(type)
        ? "the content rule '" + contentRule.name() + "'"
        : "the object classes of this " + structural;
  }

  /**
   * Returns the reason why an entry needs more attributes; null if it has all that it must have.
   */
  public @Nullable String missing(Predicate<AttributeType> isPresent) {
    List<String> missing = new ArrayList<>(0);
    for (AttributeType type : must) {
      if (!isPresent.test(type)) {
        missing.add(type.name());
      }
    }
    if (missing.isEmpty()) {
      return null;
    }
    missing.sort(String.CASE_INSENSITIVE_ORDER);
    return "required by the object classes"
        + (contentRule == null ? "" : " or the content rule '" + contentRule.name() + "'")
        + " but missing: "
        + String.join(", ", missing);
  }

  /** Returns whether the classes, with all that they extend, have the one with this OID. */
  public boolean has(String oid) {
    for (ObjectClass objectClass : classes) {
      if (objectClass.oid().equals(oid)) {
        return true;
      }
    }
    return false;
  }

  /** The most specific structural class; null if there is a {@link #violation} about it. */
  public @Nullable ObjectClass structural() {
    return structural;
  }

  /** The DIT content rule of the structural class, or null. */
  public @Nullable DitContentRule contentRule() {
    return contentRule;
  }
}
