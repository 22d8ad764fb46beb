package reproduce

// Papers lists the papers, the first one first.
func Papers() []Paper {
	return []Paper{Gomezluna13(), Elteir11(), Streamhpc(), Westphal15(), Egielski14()}
}
