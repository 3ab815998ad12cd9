package org.nyala.core.access.decide;

import org.jspecify.annotations.Nullable;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * The rights to an attribute.
 *
 * <p>Immutable.
 *
 * @param rights three sets side by side: the rights to the whole, to every value, to some value;
 *     and a bit that is always set
 * @param about the rules to ask about single values; null if all values are treated alike
 */
record AttributeAnswer(int rights, @Nullable Program about) {
  /** The bit that tells known rights from none computed yet. */
  static final int KNOWN = 1 << 31;

  /** Finds the rights to a thing; no tests of entries remain. */
  static AttributeAnswer of(Program program, Subject subject, boolean isSafe) {
    Program about = program.about(subject, isSafe);
    int whole = Verdict.of(about, Subject.KNOWN, null).rights();
    Bounds values = Bounds.of(about, Subject.KNOWN, true);
    boolean isSecret = subject.isSecret();
    int always = isSecret ? Rights.ofSecret(values.always()) : values.always();
    int ever = isSecret ? Rights.ofSecret(values.ever()) : values.ever();
    int rights = KNOWN | whole | always << Rights.BITS | ever << 2 * Rights.BITS;
    return new AttributeAnswer(rights, always == ever ? null : about);
  }

  /** Returns the same without the rights that are not in a set. */
  AttributeAnswer within(int set) {
    int all = set | set << Rights.BITS | set << 2 * Rights.BITS;
    return new AttributeAnswer(KNOWN | rights & all, about);
  }

  static int whole(int rights) {
    return rights & Rights.ALL;
  }

  static int always(int rights) {
    return rights >> Rights.BITS & Rights.ALL;
  }

  static int ever(int rights) {
    return rights >> 2 * Rights.BITS & Rights.ALL;
  }

  static Answer onValues(int rights, Right right) {
    if (Rights.has(always(rights), right)) {
      return Answer.GRANTED;
    }
    return Rights.has(ever(rights), right) ? Answer.DEPENDS : Answer.DENIED;
  }
}
