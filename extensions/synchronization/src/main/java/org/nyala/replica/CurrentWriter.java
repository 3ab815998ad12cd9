package org.nyala.replica;

import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;

/**
 * The server at which the referrals of a provider end: a copy of a copy learns from its provider
 * only that changes are made elsewhere, and not whether they have ended there.
 *
 * <p>Immutable.
 *
 * @param url its address; that of the provider if nobody accepts changes, as referrals lead back
 * @param state what it answers; null if it could not be asked
 * @param why the reason why it could not be asked; empty if it could
 */
record CurrentWriter(String url, @Nullable ProviderState state, String why) {
  /** The referrals that are followed: more servers in a row are taken for a mistake. */
  private static final int MOST_REFERRALS = 8;

  /**
   * Follows the referrals of a provider.
   *
   * @param access the way to the provider, whose identity and encryption are used at all servers
   * @param provider what the provider answers
   * @param isHere whether an address is one of this server, which refers to the provider
   */
  static CurrentWriter find(
      ProviderAccess access, ProviderState provider, String suffix, Predicate<ProviderUrl> isHere) {
    Set<ProviderUrl> visited = new LinkedHashSet<>();
    ProviderUrl at = access.url();
    ProviderState state = provider;
    visited.add(at);
    while (!state.referrals().isEmpty()) {
      ProviderUrl next;
      try {
        next = ProviderState.address(state.referrals().getFirst());
      } catch (IllegalArgumentException e) {
        return new CurrentWriter(at.toString(), null, "its referral is " + e.getMessage());
      }
      if (isHere.test(next) || !visited.add(next)) {
        // Each refers to another one: none of them accepts changes.
        return new CurrentWriter(access.url().toString(), provider, "");
      }
      if (visited.size() > MOST_REFERRALS) {
        return new CurrentWriter(next.toString(), null, "there are too many referrals: " + visited);
      }
      at = next;
      try {
        state = ProviderState.read(access.with(next), suffix);
      } catch (LDAPException e) {
        return new CurrentWriter(
            at.toString(), null, ProviderAnswers.sentence(e, suffix) + via(visited));
      } catch (IOException e) {
        String why = ErrorMessages.printable(ErrorMessages.line(e));
        return new CurrentWriter(at.toString(), null, why + via(visited));
      }
    }
    return new CurrentWriter(at.toString(), state, "");
  }

  private static String via(Set<ProviderUrl> visited) {
    return visited.stream()
        .map(ProviderUrl::toString)
        .collect(Collectors.joining(" -> ", " (referrals: ", ")"));
  }
}
