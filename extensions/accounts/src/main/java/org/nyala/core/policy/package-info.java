/**
 * Password policy (draft-behera-ldap-password-policy-11): policies, the state of accounts, and the
 * gates that let no more guesses through than policies and budgets allow.
 *
 * <p>Public face: {@link AccountServices}, {@link AttemptGate}, {@link PolicyReader} and {@link
 * GuessBudgets}.
 */
@NullMarked
package org.nyala.core.policy;

import org.jspecify.annotations.NullMarked;
