package org.nyala.core.directory;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Scope;

/**
 * Tells clients how searches are carried out, beside the threads that serve. Thread-safe; never
 * blocks, for it is asked on event loops too.
 */
@FunctionalInterface
public interface SearchExplainers {
  /**
   * Carries a search out soon and tells how.
   *
   * @return false where too many others wait; nothing will be told then
   */
  boolean explain(Question question);

  /**
   * What a client wants to know.
   *
   * <p>Immutable, but for who is asked and told.
   *
   * @param backend where the base is
   * @param base where the search begins
   * @param scope which entries it looks at
   * @param filter what they should match, as the client has written it
   * @param compiled the same as it is carried out
   * @param seconds how long it may take
   * @param isWanted whether the client still wants to know
   * @param answer is told once: success with the explanation among the controls, or why there is
   *     none
   */
  record Question(
      Backend backend,
      Dn base,
      Scope scope,
      FilterNode filter,
      CompiledFilter compiled,
      int seconds,
      BooleanSupplier isWanted,
      Consumer<LdapResult> answer) {}
}
