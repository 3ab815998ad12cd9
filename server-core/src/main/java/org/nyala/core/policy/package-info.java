/**
 * Password policy (draft-behera-ldap-password-policy-11): policies, the state of accounts, and the
 * gate that lets no more guesses through than the policy allows.
 *
 * <p>Public face: {@link AttemptGate} and {@link PolicyReader}.
 */
@NullMarked
package org.nyala.core.policy;

import org.jspecify.annotations.NullMarked;
