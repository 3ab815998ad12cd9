/**
 * The accounts of a directory as operations ask for them: binds, and what passwords demand of
 * changes and compares; a directory gets what decides as its {@code AccountsService}.
 *
 * <p>Public face: {@link AccountsService}, {@link AccountControl}, {@link UpdatePasswords} and
 * {@link PasswordComparison}.
 */
@NullMarked
package org.nyala.core.accounts;

import org.jspecify.annotations.NullMarked;
