package org.nyala.core.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the object classes of an entry require and allow together (RFC 4512, section 2.4).
 *
 * <p>Immutable. {@link Schema#classSet} makes one for each distinct list of classes.
 */
public final class ClassSet {
  private final Set<ObjectClass> classes;
  private final Set<AttributeType> must;
  private final Set<AttributeType> allowed;
  private final @Nullable ObjectClass structural;
  private final String violation;
  private final boolean isExtensible;

  private ClassSet(
      Set<ObjectClass> classes,
      Set<AttributeType> must,
      Set<AttributeType> allowed,
      @Nullable ObjectClass structural,
      String violation,
      boolean isExtensible) {
    this.classes = Set.copyOf(classes);
    this.must = Set.copyOf(must);
    this.allowed = Set.copyOf(allowed);
    this.structural = structural;
    this.violation = violation;
    this.isExtensible = isExtensible;
  }

  /** Resolves the given values of {@code objectClass}. */
  static ClassSet of(Schema schema, List<String> names) {
    Set<ObjectClass> classes = new LinkedHashSet<>();
    for (String name : names) {
      ObjectClass objectClass = schema.objectClass(name);
      if (objectClass == null) {
        return new ClassSet(
            Set.of(), Set.of(), Set.of(), null, "unknown object class '" + name + "'", false);
      }
      addWithSuperiors(objectClass, classes);
    }
    List<ObjectClass> chainEnds = structuralChainEnds(classes);
    Set<AttributeType> must = new HashSet<>();
    Set<AttributeType> allowed = new HashSet<>();
    boolean isExtensible = false;
    for (ObjectClass objectClass : classes) {
      must.addAll(objectClass.must());
      allowed.addAll(objectClass.may());
      isExtensible |= objectClass.oid().equals("1.3.6.1.4.1.1466.101.120.111");
    }
    allowed.addAll(must);
    return new ClassSet(
        classes,
        must,
        allowed,
        chainEnds.size() == 1 ? chainEnds.getFirst() : null,
        violation(chainEnds),
        isExtensible);
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

  private static String violation(List<ObjectClass> chainEnds) {
    return switch (chainEnds.size()) {
      case 0 -> "no structural object class";
      case 1 -> "";
      default ->
          "object classes '"
              + chainEnds.get(0).name()
              + "' and '"
              + chainEnds.get(1).name()
              + "' are structural and neither extends the other";
    };
  }

  /** What is wrong with the classes themselves; empty when an entry may have them. */
  public String violation() {
    return violation;
  }

  /** The classes with all that they extend. */
  public Set<ObjectClass> classes() {
    return classes;
  }

  /** The attributes that the entry must have. */
  public Set<AttributeType> must() {
    return must;
  }

  /** The attributes that the entry may have, those that it must have among them. */
  public Set<AttributeType> allowed() {
    return allowed;
  }

  /** Whether an entry of these classes may have the attribute; operational ones always. */
  public boolean allows(AttributeType type) {
    return isExtensible || allowed.contains(type) || type.isOperational();
  }

  /** The most specific structural class; null when there is a {@link #violation}. */
  public @Nullable ObjectClass structural() {
    return structural;
  }

  /** Whether {@code extensibleObject} is among the classes, so that every attribute is allowed. */
  public boolean isExtensible() {
    return isExtensible;
  }
}
