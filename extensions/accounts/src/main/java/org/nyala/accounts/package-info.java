/**
 * The accounts of a directory: binds, passwords and their policies put together, and their state as
 * administrators see and change it.
 *
 * <p>Public face: {@link PolicedAccounts} and {@link AccountAdministration}.
 */
@NullMarked
package org.nyala.accounts;

import org.jspecify.annotations.NullMarked;
