"""Common parts of classifiers of trees: predicting by released counts, and telling what was released."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.errors import InputError
from dpselect.learn.estimator import Integers
from dpselect.learn.export import tree_text
from dpselect.learn.file_parts import classes_in
from dpselect.learn.importances import PartialDependence, dependence_on_columns
from dpselect.learn.node_shares import node_words, plain_shares, share_deviations
from dpselect.learn.parameters import whole
from dpselect.learn.path_words import path_words
from dpselect.learn.schema import Schema
from dpselect.learn.threshold import ThresholdClassifier
from dpselect.learn.tree import Tree


class PrivateTrees(ThresholdClassifier):
    """Base of the private trees: subclasses say how many bins, what is spent and how trees grow."""

    # Whether nodes carry released counts, or labels alone.
    _counted = True

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of every record, or by ``threshold``; equal shares go to the first.

        Every record gets a label, whatever ``unknown`` is: numbers outside their domain are clipped, and a value that
        has no code, such as a category that the domain does not list, stops at the node that asks for it and takes the
        label there.

        Raises:
            ValueError: a column is not there, or values are missing and ``missing="error"``.
        """
        places = self._places(self.predict_proba(X))
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of every class, shape (n, classes): from released counts only."""
        return self._chances(self._read_again(X))

    def _chances(self, codes: Sequence[Integers]) -> NDArray[np.float64]:
        shares = [self._shares(tree.whole_tree)[tree.whole_tree.apply(codes)] for tree in self.trees_]
        return np.asarray(np.mean(shares, axis=0))

    def apply(self, X: Any) -> Integers:
        """Return the node of ``trees_`` in which every record ends, shape (n,), or (n, trees) for several trees."""
        codes = self._read_again(X)
        found = np.stack([tree.apply(codes) for tree in self.trees_], axis=1)
        return found[:, 0] if len(self.trees_) == 1 else found

    def decision_path(self, X: Any, tree: int = 0) -> Any:
        """Return which nodes of one tree every record passes, a sparse indicator (scipy, csr) of shape (n, nodes)."""
        return self._tree(tree).path(self._read_again(X))

    def get_depth(self, tree: int = 0) -> int:
        """Return how many splits the longest path of one tree has."""
        return self._tree(tree).levels

    def get_n_leaves(self, tree: int = 0) -> int:
        """Return how many leaves one tree has."""
        return int(self._tree(tree).leaves.size)

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, its label, a share of a class there, and the splits that moved it.

        The share is that of the second of two classes, else of the label. It starts from the share among all records,
        and columns of the first tree as it is drawn move it, in points of per cent. Where the drawing, or the first of
        several trees, says otherwise than ``predict``, both are told.
        """
        words: list[str] = path_words(self, self._read_again(X))
        return words

    def export_text(self) -> str:
        """Return the trees as text: released splits and noisy counts, no record."""
        check_is_fitted(self, "trees_")
        return "\n\n".join(tree_text(self, tree) for tree in self.trees_)

    def plot_tree(
        self, path: str | Path | None = None, tree: int = 0, *, ax: Any = None, overwrite: bool = False
    ) -> Any:
        """Draw one tree; return the matplotlib figure, and save it if ``path`` is given.

        Args:
            path: where the picture is saved, if anywhere.
            tree: its place in ``trees_``.
            ax: matplotlib's axes to draw into; text shrinks until it fits.
            overwrite: replace a file that is there already.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for.
            ValueError: there is no such tree, or its words would be smaller than 2 points in these axes.
            ImportError: matplotlib is not installed.
        """
        from dpselect.learn.tree_drawing import tree_picture

        return tree_picture(self, self._tree(tree), path, ax, overwrite=overwrite)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Return how much each column moves the mean share of a class, beyond noise, summing to 1 or 0.

        The importance of a column is the variance of its partial dependence less what noise alone would give, and 0
        where it is within noise; ``dpselect.learn.importances`` says exactly how.
        """
        return self.partial_dependence_.importances

    @property
    def partial_dependence_(self) -> PartialDependence:
        """Return how each value of each column moves the mean share of every class, with what noise alone would do."""
        check_is_fitted(self, "trees_")
        trees = [tree.whole_tree for tree in self.trees_]
        noises, samplings = zip(*[self._share_variances(tree) for tree in trees], strict=True)
        return dependence_on_columns(trees, [self._shares(tree) for tree in trees], noises, samplings)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _tree(self, place: int) -> Tree:
        """Return one tree, or say that there is none."""
        check_is_fitted(self, "trees_")
        whole(place, "tree", 0, "the place of a tree in trees_")
        if place >= len(self.trees_):
            raise InputError(f"tree is {place} and the last of this model is {len(self.trees_) - 1}: pass its place.")
        return self.trees_[place]

    def _keep(self, known: Schema, result: Any) -> None:
        """Take trees for what was fitted."""
        self.trees_: list[Tree] = result
        self.classes_ = np.array(known.classes)

    def _node_texts(self, tree: Tree) -> list[tuple[str, str]]:
        """Return of every node its label and its shares in words, none where only labels were released."""
        labels = [str(self.classes_[place]) for place in self._places(plain_shares(tree)).tolist()]
        if not self._counted:
            return [(label, "") for label in labels]
        words = node_words(tree, self.classes_.tolist(), self._count_noise(tree))
        return [(label, f" ({figures})") for label, figures in zip(labels, words, strict=True)]

    def _share_variances(self, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the variances of the shares of every node, summed over classes: by noise and by sampling."""
        shares, noise, weight = self._shares(tree), self._count_noise(tree), self._own_variance(tree)
        sampled = (shares * (1 - shares)).sum(axis=1) / np.maximum(tree.records, 1.0)
        released = 0.0 if noise is None else (share_deviations(tree, noise) ** 2).sum(axis=1)
        return np.asarray(weight * released), np.asarray(weight * sampled)

    def _own_variance(self, tree: Tree) -> NDArray[np.float64]:
        """Return which part of the variance of its counts is left in the shares of every node, shape (nodes,)."""
        return np.ones(tree.split.size)

    def _base_rates(self) -> NDArray[np.float64]:
        return np.asarray(np.mean([self._shares(tree.whole_tree)[0] for tree in self.trees_], axis=0))

    def _count_noise(self, tree: Tree) -> float | None:
        """Return the standard deviation of the noise of a leaf's count; ``None`` where it is not known."""
        return tree.noise

    def _content(self) -> dict[str, Any]:
        """Return what a saved model holds beside its columns, for JSON."""
        trees = [tree.as_dict() for tree in self.trees_]
        return {"classes": self.classes_.tolist(), **self._threshold_content(), "trees": trees}

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Return the public parameters that a saved model holds beside its domains."""
        return {"classes": content["classes"], **cls._threshold_in(content)}

    def _restore(self, content: dict[str, Any]) -> None:
        """Take back what :meth:`_content` gave (``ValueError`` where parts do not agree)."""
        self.classes_ = classes_in(content["classes"])
        self.trees_ = [Tree.from_dict(self.attributes_, each) for each in content["trees"]]
        if {tree.counts.shape[1] for tree in self.trees_} != {len(self.classes_)}:
            raise InputError("a class has no counts")

    def _check_target(self, y: Any) -> None:
        check_classification_targets(y)

    # What subclasses say.

    def _leaf_noise(self, epsilon: Fraction) -> float:
        """Return the standard deviation of a released count of a leaf at full depth, once fitted."""
        share = float(epsilon) * self._leaf_share()
        if self.person is not None:
            share /= self.rows_per_person
        return float(np.sqrt(2) / max(share, 1e-12))

    def _leaf_share(self) -> float:
        """Return the share of epsilon that a leaf at full depth spends, once fitted."""
        return 1.0

    def _shares(self, tree: Tree) -> NDArray[np.float64]:
        """Return the share of every class at every node."""
        smoothed = tree.counts + 1e-3
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))
