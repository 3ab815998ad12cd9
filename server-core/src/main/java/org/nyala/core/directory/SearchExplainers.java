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
 * Explains to clients how searches are carried out, beside the threads that serve. Thread-safe;
 * never blocks, as it is also called on event loops.
 */
@FunctionalInterface
public interface SearchExplainers {
  /**
   * Carries out a search soon and explains it.
   *
   * @return false if too many others wait; no answer follows then
   */
  boolean explain(Question question);

  /**
   * A request to explain a search.
   *
   * <p>Immutable, except for the two callbacks.
   *
   * @param backend the store that holds the base
   * @param base the base of the search
   * @param scope the scope of the search
   * @param filter the filter as written by the client
   * @param compiled the filter as it is carried out
   * @param seconds the maximum duration
   * @param isWanted returns whether the client still wants the explanation
   * @param answer called once: success with the explanation among the controls, or the reason for
   *     the failure
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
