package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SubstringPiece;

/**
 * Compiles the items of filters: finds the attribute and the rule, normalises the assertion.
 *
 * <p>Thread-safe. Hot. An item that the server cannot evaluate becomes {@link
 * CompiledFilter.Constant#UNDEFINED}: its attribute is unknown or hidden, or lacks the rule, or its
 * assertion is not valid for the rule.
 */
final class AssertionCompiler {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";
  private static final String OCTET_STRING_MATCH_OID = "2.5.13.17";
  private static final String OCTET_STRING_SUBSTRINGS_OID = "2.5.13.19";

  private final Schema schema;
  private final ComputedAssertions computed;
  private final IdentifierAssertions identifiers;

  /** One selector for each visible type, shared so that its answers are computed once. */
  private final IdentityHashMap<AttributeType, AttributeSelector> selectors =
      new IdentityHashMap<>();

  private final @Nullable ObjectClassAssertions objectClasses;

  AssertionCompiler(
      Schema schema, AttributeSelection.Visibility visibility, @Nullable Membership membership) {
    this.schema = schema;
    this.identifiers = new IdentifierAssertions(schema);
    this.computed = new ComputedAssertions(schema, membership);
    Set<AttributeType> aboveHidden = aboveHidden(schema, visibility);
    for (AttributeType type : schema.attributeTypes()) {
      if (visibility.isVisible(type)) {
        AttributeSelector all = new AttributeSelector(AttributeDescription.of(type));
        selectors.put(type, aboveHidden.contains(type) ? all.showing(visibility) : all);
      }
    }
    AttributeSelector objectClass = selector(OBJECT_CLASS_OID);
    this.objectClasses =
        objectClass == null ? null : new ObjectClassAssertions(schema, objectClass);
  }

  /** Returns the types that have hidden subtypes. */
  private static Set<AttributeType> aboveHidden(
      Schema schema, AttributeSelection.Visibility visibility) {
    Set<AttributeType> above = new HashSet<>();
    for (AttributeType type : schema.attributeTypes()) {
      AttributeType each = visibility.isVisible(type) ? null : type.superior();
      while (each != null && above.add(each)) {
        each = each.superior();
      }
    }
    return above;
  }

  /** {@code (attribute=value)}, and {@code (attribute~=value)}, which is the same here. */
  CompiledFilter equality(String attribute, byte[] value) {
    AttributeSelector selector = selector(attribute);
    if (selector == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    AttributeType type = selector.description().type();
    ComputedAttribute known = computed.of(type);
    if (known != null) {
      return computed.equality(known, selector.description(), value);
    }
    if (objectClasses != null
        && type.oid().equals(OBJECT_CLASS_OID)
        && selector.description().options().isEmpty()) {
      CompiledFilter test = objectClasses.of(value);
      return test == null ? CompiledFilter.Constant.UNDEFINED : test;
    }
    return equality(selector, type.equality(), value);
  }

  private CompiledFilter equality(
      AttributeSelector selector, @Nullable MatchingRule rule, byte[] value) {
    boolean mayBeValue = RuleApplicability.mayBeValue(selector.description().type(), value);
    byte[] assertion = rule == null || !mayBeValue ? null : identified(rule, value);
    if (rule == null || assertion == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    return new CompiledFilter.ValueItem(
        selector, CompiledFilter.ValueItem.Comparison.EQUALITY, rule, assertion);
  }

  /** {@code (attribute>=value)} and {@code (attribute<=value)}. */
  CompiledFilter ordering(
      String attribute, byte[] value, CompiledFilter.ValueItem.Comparison comparison) {
    AttributeSelector selector = selector(attribute);
    if (selector == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    ComputedAttribute known = computed.of(selector.description().type());
    return known == null
        ? ordering(selector, value, comparison)
        : computed.ordering(known, selector.description(), value, comparison);
  }

  private static CompiledFilter ordering(
      AttributeSelector selector, byte[] value, CompiledFilter.ValueItem.Comparison comparison) {
    MatchingRule rule = selector.description().type().ordering();
    byte[] assertion = rule == null ? null : assertion(rule, value);
    if (rule == null || assertion == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    return new CompiledFilter.ValueItem(selector, comparison, rule, assertion);
  }

  /** {@code (attribute=*)}. */
  CompiledFilter presence(String attribute) {
    AttributeSelector selector = selector(attribute);
    if (selector == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    AttributeDescription description = selector.description();
    ComputedAttribute known = computed.of(description.type());
    if (known != null) {
      return computed.presence(known, description, this::selector);
    }
    boolean everywhere =
        description.options().isEmpty() && description.type().oid().equals(OBJECT_CLASS_OID);
    return everywhere ? CompiledFilter.Constant.TRUE : new CompiledFilter.Presence(selector);
  }

  /** {@code (attribute=initial*any*final)}. */
  CompiledFilter substrings(FilterNode.Substrings item) {
    AttributeSelector selector = selector(item.attribute());
    return selector == null || computed.of(selector.description().type()) != null
        ? CompiledFilter.Constant.UNDEFINED
        : substrings(selector, item);
  }

  private CompiledFilter substrings(AttributeSelector selector, FilterNode.Substrings item) {
    AttributeType type = selector.description().type();
    MatchingRule rule = substringsRule(type);
    if (rule == null || !RuleApplicability.mayBePieces(type, item)) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    ByteAppender target = new ByteAppender(64);
    List<byte[]> any = new ArrayList<>(item.any().size());
    byte[] initial = null;
    byte[] last = null;
    if (item.initial() != null) {
      initial = piece(rule, SubstringPiece.INITIAL, item.initial(), target);
      if (initial == null) {
        return CompiledFilter.Constant.UNDEFINED;
      }
    }
    for (byte[] value : item.any()) {
      byte[] piece = piece(rule, SubstringPiece.ANY, value, target);
      if (piece == null) {
        return CompiledFilter.Constant.UNDEFINED;
      }
      if (piece.length > 0) {
        any.add(piece);
      }
    }
    if (item.last() != null) {
      last = piece(rule, SubstringPiece.FINAL, item.last(), target);
      if (last == null) {
        return CompiledFilter.Constant.UNDEFINED;
      }
    }
    return substrings(selector, rule, emptyToNull(initial), any, emptyToNull(last));
  }

  /**
   * Returns the type's own rule. Secrets that are compared octet by octet are searched so for parts
   * too, as a scheme before a hash: standards define no rule, because others may not search them.
   */
  private @Nullable MatchingRule substringsRule(AttributeType type) {
    MatchingRule own = type.substrings();
    MatchingRule equality = type.equality();
    return own == null
            && type.isSecret()
            && equality != null
            && equality.oid().equals(OCTET_STRING_MATCH_OID)
        ? schema.matchingRule(OCTET_STRING_SUBSTRINGS_OID)
        : own;
  }

  private static byte @Nullable [] emptyToNull(byte @Nullable [] piece) {
    return piece == null || piece.length == 0 ? null : piece;
  }

  private static CompiledFilter substrings(
      AttributeSelector selector,
      MatchingRule rule,
      byte @Nullable [] initial,
      List<byte[]> any,
      byte @Nullable [] last) {
    if (initial == null && last == null && any.isEmpty()) {
      return new CompiledFilter.Presence(selector);
    }
    return new CompiledFilter.SubstringsItem(selector, rule, initial, any, last);
  }

  private static byte @Nullable [] piece(
      MatchingRule rule, SubstringPiece kind, byte[] value, ByteAppender target) {
    target.clear();
    boolean valid =
        rule.assertionNormalizer().normalizeSubstring(kind, value, 0, value.length, target);
    return valid ? target.toByteArray() : null;
  }

  /** {@code (attribute:dn:rule:=value)}. */
  CompiledFilter extensible(FilterNode.Extensible item) {
    if (computed.isChain(item)) {
      return computed.chain(item.attribute() == null ? null : selector(item.attribute()), item);
    }
    AttributeSelector selector = null;
    if (item.attribute() != null) {
      selector = selector(item.attribute());
      if (selector == null) {
        return CompiledFilter.Constant.UNDEFINED;
      }
    }
    MatchingRule rule = rule(item.rule(), selector);
    if (rule == null || rule.use() == MatchingRule.Use.SUBSTRINGS) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    if (selector == null) {
      return extensible(null, rule, item);
    }
    AttributeType type = selector.description().type();
    if (!RuleApplicability.applies(rule, type)) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    ComputedAttribute known = computed.of(type);
    if (known != null) {
      return rule == type.equality()
          ? computed.equality(known, selector.description(), item.value())
          : CompiledFilter.Constant.UNDEFINED;
    }
    if (rule == type.equality() && !item.dnAttributes()) {
      return equality(selector, rule, item.value());
    }
    return extensible(selector, rule, item);
  }

  /**
   * An item as a test of single values: attributes that no store holds have values like others, and
   * a class is only itself.
   */
  CompiledFilter valueTest(FilterNode item) {
    return switch (item) {
      case FilterNode.Extensible extensible -> valueTest(extensible);
      case FilterNode.Equality test -> valueTest(test.attribute(), item);
      case FilterNode.Approximate test -> valueTest(test.attribute(), item);
      case FilterNode.Substrings test -> valueTest(test.attribute(), item);
      case FilterNode.GreaterOrEqual test -> valueTest(test.attribute(), item);
      case FilterNode.LessOrEqual test -> valueTest(test.attribute(), item);
      case FilterNode.Present test -> valueTest(test.attribute(), item);
      case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> CompiledFilter.Constant.UNDEFINED;
    };
  }

  private CompiledFilter valueTest(String attribute, FilterNode item) {
    AttributeSelector selector = selector(attribute);
    if (selector == null) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    MatchingRule rule = selector.description().type().equality();
    return switch (item) {
      case FilterNode.Equality test -> equality(selector, rule, test.value());
      case FilterNode.Approximate test -> equality(selector, rule, test.value());
      case FilterNode.Substrings test -> substrings(selector, test);
      case FilterNode.GreaterOrEqual test ->
          ordering(selector, test.value(), CompiledFilter.ValueItem.Comparison.GREATER_OR_EQUAL);
      case FilterNode.LessOrEqual test ->
          ordering(selector, test.value(), CompiledFilter.ValueItem.Comparison.LESS_OR_EQUAL);
      default -> new CompiledFilter.Presence(selector);
    };
  }

  private CompiledFilter valueTest(FilterNode.Extensible item) {
    AttributeSelector selector = item.attribute() == null ? null : selector(item.attribute());
    MatchingRule rule = rule(item.rule(), selector);
    boolean applies =
        rule != null
            && rule.use() != MatchingRule.Use.SUBSTRINGS
            && (selector == null
                ? item.attribute() == null
                : RuleApplicability.applies(rule, selector.description().type()));
    return rule != null && applies
        ? extensible(selector, rule, item)
        : CompiledFilter.Constant.UNDEFINED;
  }

  private CompiledFilter extensible(
      @Nullable AttributeSelector selector, MatchingRule rule, FilterNode.Extensible item) {
    byte[] assertion = identified(rule, item.value());
    return assertion == null
        ? CompiledFilter.Constant.UNDEFINED
        : new CompiledFilter.ExtensibleItem(selector, rule, assertion, item.dnAttributes());
  }

  /** The rule by its name, else the attribute's equality rule. */
  private @Nullable MatchingRule rule(@Nullable String name, @Nullable AttributeSelector selector) {
    if (name != null) {
      return schema.matchingRule(name);
    }
    return selector == null ? null : selector.description().type().equality();
  }

  private @Nullable AttributeSelector selector(String attribute) {
    AttributeType type = schema.attributeType(attribute);
    if (type != null) {
      return selectors.get(type);
    }
    if (attribute.indexOf(';') < 0) {
      return null;
    }
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    // A description with an undefined option is not recognized (RFC 4512, section 2.5).
    if (description == null || description.unknownOption(schema.attributeOptions()) != null) {
      return null;
    }
    AttributeSelector plain = selectors.get(description.type());
    return plain == null ? null : plain.of(description);
  }

  private byte @Nullable [] identified(MatchingRule rule, byte[] value) {
    return assertion(rule, identifiers.resolve(rule, value));
  }

  static byte @Nullable [] assertion(MatchingRule rule, byte[] value) {
    ByteAppender target = new ByteAppender(value.length + 8);
    boolean valid =
        rule.acceptsAssertion(value)
            && rule.assertionNormalizer().normalize(value, 0, value.length, target);
    return valid ? target.toByteArray() : null;
  }
}
