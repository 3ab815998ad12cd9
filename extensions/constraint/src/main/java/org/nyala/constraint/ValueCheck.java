package org.nyala.constraint;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * A requirement of a constraint for each single value.
 *
 * <p>Immutable.
 */
sealed interface ValueCheck {
  /**
   * Returns whether a value is allowed; without meaning once the pace has ended.
   *
   * @param state the entries in which values are looked up; null allows what would be looked up
   */
  boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace);

  /** Returns a sentence that says that a value is not allowed, without showing one. */
  String fault(String attribute);

  /** A regular expression that matches, or that does not. */
  record Matching(Expression expression, boolean isForbidden) implements ValueCheck {
    @Override
    public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
      return expression.isFoundIn(value, pace) != isForbidden;
    }

    @Override
    public String fault(String attribute) {
      return isForbidden
          ? "a value of " + attribute + " matches the regular expression of a constraint"
          : "a value of " + attribute + " does not match the regular expression of a constraint";
    }
  }

  /** A length in bytes. */
  record Length(int maximum) implements ValueCheck {
    @Override
    public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
      return value.length <= maximum;
    }

    @Override
    public String fault(String attribute) {
      return "a value of " + attribute + " has more than the " + maximum + " bytes of a constraint";
    }
  }

  /**
   * Some values, by the equality rule of the attribute.
   *
   * @param normalized the values as the rule compares them; never written to
   */
  record Among(MatchingRule rule, Set<ByteBuffer> normalized) implements ValueCheck {
    public Among {
      normalized = Set.copyOf(normalized);
    }

    /** Returns a value as the rule compares it; null if it is none that the rule knows. */
    static byte @Nullable [] normalized(MatchingRule rule, byte[] value) {
      ByteAppender target = new ByteAppender(value.length + 8);
      return rule.assertionNormalizer().normalize(value, 0, value.length, target)
          ? target.toByteArray()
          : null;
    }

    @Override
    public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
      byte[] own = normalized(rule, value);
      return own != null && normalized.contains(ByteBuffer.wrap(own));
    }

    @Override
    public String fault(String attribute) {
      return "a value of " + attribute + " is none of those that a constraint allows";
    }
  }

  /**
   * Values that entries of the directory have, which are looked up by the equality index.
   *
   * @param attributes the attributes that have the values there, each with an equality rule
   * @param base the entry at which the scope begins; null for all entries
   */
  record Listed(
      Schema schema,
      List<AttributeSelector> attributes,
      @Nullable Dn base,
      Scope scope,
      CompiledFilter filter)
      implements ValueCheck {
    @Override
    public boolean allows(byte[] value, @Nullable ReadTransaction state, Pace pace) {
      if (state == null) {
        return true;
      }
      long baseId = base == null ? ReadTransaction.NO_ENTRY : state.find(base);
      if (base != null && baseId == ReadTransaction.NO_ENTRY) {
        return false;
      }
      boolean[] isFound = new boolean[1];
      for (AttributeSelector attribute : attributes) {
        MatchingRule rule = attribute.description().type().equality();
        byte[] normalized = rule == null ? null : Among.normalized(rule, value);
        if (normalized != null) {
          CompiledFilter having = References.test(attribute, normalized);
          SearchSpec spec =
              new SearchSpec(
                  baseId,
                  base == null ? Scope.SUBTREE : scope,
                  FilterCompiler.and(having, filter),
                  false,
                  false);
          new References(state, schema, 1, pace)
              .visit(
                  spec,
                  0,
                  _ -> {
                    isFound[0] = true;
                    return false;
                  });
        }
        if (isFound[0]) {
          return true;
        }
      }
      return false;
    }

    @Override
    public String fault(String attribute) {
      return "a value of " + attribute + " is in none of the entries that a constraint names";
    }
  }
}
