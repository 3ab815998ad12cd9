package org.nyala.core.schema;

import java.util.Arrays;
import java.util.List;

/**
 * A rule that decides whether a stored value satisfies an assertion (RFC 4512, section 4.1.3; RFC
 * 4517, section 4).
 *
 * <p>Immutable. Comparisons work on bytes that {@link #valueNormalizer()} and {@link
 * #assertionNormalizer()} produced.
 */
public final class MatchingRule {
  /** The purpose of a rule's comparison. */
  public enum Use {
    /** Equality and everything that answers yes or no for one value. */
    EQUALITY,
    /** Less-or-equal and greater-or-equal. */
    ORDERING,
    /** Initial, any and final pieces. */
    SUBSTRINGS
  }

  /** The test of whether a normalised value satisfies a normalised assertion. Thread-safe. */
  @FunctionalInterface
  public interface Comparison {
    /** Compares {@code value[0..valueLength)} with the whole {@code assertion}. */
    boolean matches(byte[] value, int valueLength, byte[] assertion);
  }

  /** The comparison of rules whose values match when their normalised bytes are the same. */
  public static final Comparison SAME_BYTES =
      (value, valueLength, assertion) ->
          Arrays.equals(value, 0, valueLength, assertion, 0, assertion.length);

  private final String oid;
  private final List<String> names;
  private final String syntaxOid;
  private final Use use;
  private final Normalizer valueNormalizer;
  private final Normalizer assertionNormalizer;
  private final Comparison comparison;
  private final Syntax.Validator assertions;

  /**
   * Creates a rule that compares with {@link #SAME_BYTES} and normalises values and assertions
   * alike.
   */
  public MatchingRule(
      String oid, List<String> names, String syntaxOid, Use use, Normalizer normalizer) {
    this(oid, names, syntaxOid, use, normalizer, normalizer, SAME_BYTES);
  }

  /**
   * Creates a rule whose assertions differ from its values, such as a first-component or a bitwise
   * rule.
   */
  public MatchingRule(
      String oid,
      List<String> names,
      String syntaxOid,
      Use use,
      Normalizer valueNormalizer,
      Normalizer assertionNormalizer,
      Comparison comparison) {
    this.oid = oid;
    this.names = List.copyOf(names);
    this.syntaxOid = syntaxOid;
    this.use = use;
    this.valueNormalizer = valueNormalizer;
    this.assertionNormalizer = assertionNormalizer;
    this.comparison = comparison;
    this.assertions = AssertionSyntaxes.of(syntaxOid);
  }

  /** The numeric object identifier. */
  public String oid() {
    return oid;
  }

  /** The short names, the preferred one first; empty if the rule has none. */
  public List<String> names() {
    return names;
  }

  /** The preferred short name, else the object identifier. */
  public String name() {
    return names.isEmpty() ? oid : names.getFirst();
  }

  /** The syntax of the assertion value. */
  public String syntaxOid() {
    return syntaxOid;
  }

  /** Returns the purpose of the rule's comparison. */
  public Use use() {
    return use;
  }

  /** Normalises stored values. */
  public Normalizer valueNormalizer() {
    return valueNormalizer;
  }

  /** Normalises assertion values. */
  public Normalizer assertionNormalizer() {
    return assertionNormalizer;
  }

  /**
   * Returns whether a value conforms to the syntax of the rule's assertions as far as {@link
   * #assertionNormalizer()} does not check it: rules for text also normalise values that are no
   * text of theirs.
   */
  public boolean acceptsAssertion(byte[] value) {
    return assertions.isValid(value, 0, value.length);
  }

  /**
   * Returns whether a value matches exactly when its normalised bytes equal those of the assertion,
   * so that an index can answer.
   */
  public boolean comparesBytes() {
    return comparison == SAME_BYTES;
  }

  /** Compares a normalised value with a normalised assertion. */
  public boolean matches(byte[] value, int valueLength, byte[] assertion) {
    return comparison.matches(value, valueLength, assertion);
  }

  @Override
  public String toString() {
    return name();
  }
}
