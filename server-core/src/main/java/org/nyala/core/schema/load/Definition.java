package org.nyala.core.schema.load;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/** A schema element as described, its references not resolved yet. */
public sealed interface Definition {
  /** The file and line, for messages. */
  String where();

  /** The numeric object identifier. */
  String oid();

  /** The short names. */
  List<String> names();

  /** Returns the same definition without its place and description, for comparison. */
  Definition meaning();

  /** An attribute type; null properties are inherited. */
  record OfAttribute(
      String where,
      String oid,
      List<String> names,
      String description,
      @Nullable String superior,
      @Nullable String syntax,
      @Nullable String equality,
      @Nullable String ordering,
      @Nullable String substrings,
      int maximumLength,
      AttributeType.Usage usage,
      AttributeType.Flags flags)
      implements Definition {
    @Override
    public Definition meaning() {
      return new OfAttribute(
          "",
          oid,
          names,
          "",
          superior,
          syntax,
          equality,
          ordering,
          substrings,
          maximumLength,
          usage,
          flags);
    }
  }

  /** An object class. */
  record OfClass(
      String where,
      String oid,
      List<String> names,
      String description,
      boolean obsolete,
      List<String> superiors,
      ObjectClass.Kind kind,
      List<String> must,
      List<String> may)
      implements Definition {
    @Override
    public Definition meaning() {
      return new OfClass("", oid, names, "", obsolete, superiors, kind, must, may);
    }
  }

  /** A DIT content rule; its identifier is that of its structural class. */
  record OfContentRule(
      String where,
      String oid,
      List<String> names,
      String description,
      boolean obsolete,
      List<String> auxiliaries,
      List<String> must,
      List<String> may,
      List<String> not)
      implements Definition {
    @Override
    public Definition meaning() {
      return new OfContentRule("", oid, names, "", obsolete, auxiliaries, must, may, not);
    }
  }

  /** A name form. */
  record OfNameForm(
      String where,
      String oid,
      List<String> names,
      String description,
      boolean obsolete,
      String objectClass,
      List<String> must,
      List<String> may)
      implements Definition {
    @Override
    public Definition meaning() {
      return new OfNameForm("", oid, names, "", obsolete, objectClass, must, may);
    }
  }

  /** A DIT structure rule; its number stands for an object identifier. */
  record OfStructureRule(
      String where,
      int ruleId,
      List<String> names,
      String description,
      boolean obsolete,
      String form,
      List<Integer> superiorIds)
      implements Definition {
    @Override
    public String oid() {
      return Integer.toString(ruleId);
    }

    @Override
    public Definition meaning() {
      return new OfStructureRule("", ruleId, names, "", obsolete, form, superiorIds);
    }
  }

  /** A syntax that stands for another one. */
  record OfSyntax(String where, String oid, String description, @Nullable String substitute)
      implements Definition {
    @Override
    public List<String> names() {
      return List.of();
    }

    @Override
    public Definition meaning() {
      return new OfSyntax("", oid, "", substitute);
    }
  }
}
