/**
 * The interface by which a capability beyond the ten operations of LDAP hooks into a directory.
 *
 * <p>An {@link org.nyala.extension.Extension} has a name, a place in one ordered list, and hooks.
 * {@link org.nyala.extension.Extensions} puts the list in order at the start, and resolves it into
 * arrays, once for each schema and each set of terms. So a request meets what concerns its type
 * only, and a directory without an extension runs as if there were none.
 *
 * <p>The list, from the first that sees a request to the last before the operation itself:
 *
 * <ol>
 *   <li>{@code strength}: refuses what the connection does not encrypt enough;
 *   <li>{@code controls}: reads the controls that all operations share, and acts as another
 *       identity if one asks for it;
 *   <li>{@code confined-root}: decides whether a root account of some naming contexts acts as root;
 *   <li>{@code rights}: finds the access rules of the client, which may look up its groups;
 *   <li>all others, which come here unless they say otherwise: first by the places that they
 *       require, then in the order of their installation;
 *   <li>{@code delegation}: checks access rules that entries hold, after all other rules.
 * </ol>
 *
 * <p>Public face: {@link org.nyala.extension.Extension}, {@link org.nyala.extension.Hooks}, {@link
 * org.nyala.extension.Place}, {@link org.nyala.extension.Directory}, {@link
 * org.nyala.extension.EnclosedOperation}, {@link org.nyala.extension.SearchKind}, {@link
 * org.nyala.extension.ExtendedKind}, {@link org.nyala.extension.PlacementRule}, {@link
 * org.nyala.extension.Meter}, {@link org.nyala.extension.Command}, {@link
 * org.nyala.extension.OverlayTranslator} and {@link org.nyala.extension.Extensions}.
 *
 * <p>Before all of them comes the demand to change a password, for the clients that have to; it
 * belongs to the accounts of the directory.
 *
 * <p>Kinds of searches are asked in the order of the list, once the terms of a search are known.
 *
 * <p>The rules for changes run in the order of the same list, in the turn of the writer.
 */
@NullMarked
package org.nyala.extension;

import org.jspecify.annotations.NullMarked;
