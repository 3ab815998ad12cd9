package org.nyala.extension;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;

/** An extension that does the same under every schema of a test. */
public record FixedExtension(
    String name,
    List<ChangeRule> rules,
    @Nullable Membership membership,
    List<ChangeListener> listeners)
    implements Extension {
  /** Returns an extension that computes memberships. */
  public static FixedExtension of(@Nullable Membership membership) {
    return new FixedExtension("fixed", List.of(), membership, List.of());
  }

  /** Returns an extension that listens to commits. */
  public static FixedExtension listening(ChangeListener listener) {
    return new FixedExtension("fixed", List.of(), null, List.of(listener));
  }

  @Override
  public @Nullable Membership membership(Schema schema) {
    return membership;
  }

  @Override
  public Hooks hooks(Directory directory) {
    return Hooks.checking(rules);
  }
}
