package org.nyala.core.schema.load;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * A schema element as described, its references not resolved yet. Two that differ only in their
 * place and description are equal.
 */
public sealed interface Definition {
  /** The parts that all definitions have. */
  Heading heading();

  /** The file and line, for messages. */
  default String where() {
    return heading().where();
  }

  /** The numeric object identifier. */
  default String oid() {
    return heading().oid();
  }

  default List<String> names() {
    return heading().names();
  }

  /**
   * The parts that all definitions have.
   *
   * @param where the file and line, for messages
   * @param oid the numeric object identifier
   * @param names the short names
   */
  record Heading(
      String where, String oid, List<String> names, String description, boolean obsolete) {
    /** Compares the meaning: neither the place nor the description. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Heading that
          && oid.equals(that.oid)
          && names.equals(that.names)
          && obsolete == that.obsolete;
    }

    @Override
    public int hashCode() {
      return oid.hashCode();
    }
  }

  /** An attribute type; null properties are inherited. */
  record OfAttribute(
      Heading heading,
      @Nullable String superior,
      @Nullable String syntax,
      @Nullable String equality,
      @Nullable String ordering,
      @Nullable String substrings,
      int maximumLength,
      AttributeType.Usage usage,
      AttributeType.Flags flags)
      implements Definition {
    /** Returns the same type with values of another syntax. */
    OfAttribute withSyntax(String other) {
      return new OfAttribute(
          heading, superior, other, equality, ordering, substrings, maximumLength, usage, flags);
    }
  }

  record OfClass(
      Heading heading,
      List<String> superiors,
      ObjectClass.Kind kind,
      List<String> must,
      List<String> may)
      implements Definition {}

  /** A DIT content rule; its identifier is that of its structural class. */
  record OfContentRule(
      Heading heading,
      List<String> auxiliaries,
      List<String> must,
      List<String> may,
      List<String> not)
      implements Definition {}

  record OfNameForm(Heading heading, String objectClass, List<String> must, List<String> may)
      implements Definition {}

  /** A DIT structure rule; its number stands for an object identifier. */
  record OfStructureRule(Heading heading, int ruleId, String form, List<Integer> superiorIds)
      implements Definition {}

  /** A syntax that stands for another one. */
  record OfSyntax(Heading heading, @Nullable String substitute) implements Definition {}
}
